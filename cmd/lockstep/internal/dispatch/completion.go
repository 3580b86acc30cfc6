package dispatch

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/picture"
	"github.com/lockstep-gpu/lockstep/docs/course"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// completeName is the hidden command that the scripts of shells call.
const completeName = "__complete"

// CompletionCommand is lockstep completion.
var CompletionCommand = &cmdline.Command{
	Name:  "completion",
	Args:  "bash|zsh|fish|powershell",
	Short: "print a script that completes command lines",
	Long: `Prints a script by which a shell completes lockstep's command lines: commands, flags and
their values, kernels of the module on the line, topics and codes of help, and files. Put one
of these lines into the shell's start file:

  bash         source <(lockstep completion bash)                    in ~/.bashrc
  zsh          source <(lockstep completion zsh)                     in ~/.zshrc, behind compinit
  fish         lockstep completion fish | source                     in ~/.config/fish/config.fish
  powershell   lockstep completion powershell | Out-String | Invoke-Expression   in $PROFILE
`,
	Setup: func(*cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		return func(_ context.Context, env *cmdline.Env, args []string) error {
			if len(args) != 1 {
				return cmdline.Usagef("help completion", "completion: name one shell: %s", strings.Join(shells(), ", "))
			}
			script, ok := completionScripts[args[0]]
			if !ok {
				return cmdline.Usagef("help completion", "completion: there is no script for %q; there are %s", args[0], strings.Join(shells(), ", "))
			}
			_, err := io.WriteString(env.Stdout, script)
			return err
		}
	},
}

func shells() []string {
	var names []string
	for name := range completionScripts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// complete prints the candidates for the last of args, which has a = before it so that
// it is never empty; the other ones are the words before. Each line is a word, a tab
// and what the word means. The line ":files" asks the shell for files, too.
func complete(env *cmdline.Env, args []string) error {
	if len(args) == 0 {
		return cmdline.Usagef("help completion", "completion: %s is for the scripts of shells", completeName)
	}
	c := completion{env: env, before: args[:len(args)-1], word: strings.TrimPrefix(args[len(args)-1], "=")}
	c.find()
	var b strings.Builder
	for _, x := range c.list {
		if strings.HasPrefix(x.Word, c.word) {
			what, _, _ := strings.Cut(x.What, "\n")
			fmt.Fprintf(&b, "%s\t%s\n", x.Word, what)
		}
	}
	if c.files {
		b.WriteString(":files\n")
	}
	_, err := io.WriteString(env.Stdout, b.String())
	return err
}

// completion looks for candidates.
type completion struct {
	env    *cmdline.Env
	before []string // the words before
	word   string   // what there is of the word
	list   []cmdline.Candidate
	files  bool
}

func (c *completion) add(word, what string) {
	c.list = append(c.list, cmdline.Candidate{Word: word, What: what})
}

func (c *completion) find() {
	if len(c.before) == 0 {
		for _, x := range c.env.Commands {
			c.add(x.Name, x.Short)
		}
		return
	}
	cmd := c.env.Commands.Lookup(c.before[0])
	if cmd == nil {
		return
	}
	switch cmd.Name {
	case "help":
		if len(c.before) > 1 {
			c.helpNames(c.before[1])
			return
		}
		c.helpTopics()
		return
	case "completion":
		for _, name := range shells() {
			c.add(name, "")
		}
		return
	}
	f := cmdline.NewFlags(cmd.Name)
	cmd.Setup(f)
	if strings.HasPrefix(c.word, "-") && f.Source != nil {
		c.compilerOptions()
	}
	if name, value, ok := strings.Cut(c.word, "="); ok && strings.HasPrefix(name, "-") {
		if fl := f.Lookup(strings.TrimLeft(name, "-")); fl != nil {
			whole := c.word
			c.word = value
			c.values(fl.Name)
			for i := range c.list {
				c.list[i].Word = name + "=" + c.list[i].Word
			}
			c.word, c.files = whole, false
		}
		return
	}
	if last := c.before[len(c.before)-1]; len(c.before) > 1 && strings.HasPrefix(last, "-") && !strings.Contains(last, "=") {
		if fl := f.Lookup(strings.TrimLeft(last, "-")); fl != nil {
			if b, ok := fl.Value.(interface{ IsBoolFlag() bool }); !ok || !b.IsBoolFlag() {
				c.values(fl.Name)
				return
			}
		}
	}
	if strings.HasPrefix(c.word, "-") {
		dash := "-"
		if strings.HasPrefix(c.word, "--") {
			dash = "--"
		}
		for _, x := range f.Described() {
			c.add(dash+x.Word, x.What)
		}
		return
	}
	if cmd.Name == "grade" && (len(c.before) == 1 || len(c.before) == 2 && c.before[1] == "-start") {
		for _, l := range course.Lessons() {
			c.add(fmt.Sprint(l.Number), l.Title)
			for _, e := range l.Exercises {
				c.add(e.ID(), e.Name)
			}
		}
		return
	}
	c.files = true
}

// compilerOptions adds the options for OpenCL C. Those with a value of their own choice come with what they begin with.
func (c *completion) compilerOptions() {
	if strings.HasPrefix(c.word, "-W") {
		for _, w := range clc.Warnings() {
			c.add("-W"+w.Name, w.Help)
			if strings.HasPrefix(c.word, "-Wno-") {
				c.add("-Wno-"+w.Name, w.Help)
			}
		}
		for _, group := range []string{"all", "extra", "everything", "error", "no-"} {
			c.add("-W"+group, "")
		}
		return
	}
	if strings.HasPrefix(c.word, "-cl-std=") {
		for _, v := range []string{"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"} {
			c.add("-cl-std="+v, "")
		}
		return
	}
	for _, o := range clc.AllOptions() {
		if w := o.Word(); w != "-WNAME" && w != "-O0" {
			c.add(w, o.Help)
		}
	}
}

// helpTopics adds what help knows.
func (c *completion) helpTopics() {
	for _, x := range c.env.Commands {
		c.add(x.Name, x.Short)
	}
	for _, t := range topics() {
		c.add(t.name, t.short)
	}
	for _, code := range finding.Codes() {
		d, _ := finding.Describe(code)
		c.add(string(code), d.Title)
	}
}

// helpNames adds the names of which a topic has details.
func (c *completion) helpNames(topic string) {
	switch to := aliases[topic]; {
	case topic == "warnings" || to == "warnings":
		for _, w := range clc.Warnings() {
			c.add(w.Name, w.Help)
		}
	case topic == "builtins" || to == "builtins":
		groups, last := map[string]bool{}, ""
		for _, f := range clc.Functions() {
			if !groups[f.Group] {
				groups[f.Group] = true
				c.add(f.Group, f.Title)
			}
			for _, n := range f.Names() {
				if n != last {
					c.add(n, f.Help)
				}
				last = n
			}
		}
	}
}

// values adds the values of a flag.
func (c *completion) values(name string) {
	words := func(list ...string) {
		for _, w := range list {
			c.add(w, "")
		}
	}
	switch name {
	case "kernel":
		c.kernels()
	case "engine":
		words(append([]string{"auto"}, emu.Engines()...)...)
	case "schedule":
		words("in-order", "reverse", "seeded", "early", "late", "paced")
	case "memory":
		words("sequential", "weak")
	case "color":
		words(cmdline.ColorModes...)
	case "parallel":
		words("auto", "never", "always")
	case "stats":
		c.add("lines", "counts by line of the source")
	case "explain":
		words(launch.Explanations...)
	case "front-end":
		words(cmdline.OwnFrontEnd, cmdline.ClangFrontEnd)
	case "subgroup":
		words("1", "2", "4", "8", "16", "32", "64", "128")
	case "arg":
		for _, form := range []cmdline.Candidate{
			{Word: "f32:", What: "a float"}, {Word: "i32:", What: "an int"}, {Word: "u32:", What: "a uint"}, {Word: "zero:f32:", What: "a buffer of zeros"}, {Word: "iota:f32:", What: "a buffer of 0, 1, 2 …"},
			{Word: "fill:f32:", What: "a buffer of one value"}, {Word: "rand:f32:", What: "a buffer of random values"}, {Word: "buf:f32:", What: "a buffer of these values"},
			{Word: "in:", What: "a buffer from a file"}, {Word: "local:", What: "bytes of local memory"}, {Word: "image:", What: "an image"}, {Word: "image1d:", What: "an image of one dimension"}, {Word: "image3d:", What: "an image of three dimensions"}, {Word: "sampler:", What: "a sampler"}, {Word: "pipe:", What: "a pipe"}, {Word: "null", What: "a null pointer"},
		} {
			c.add(form.Word, form.What)
		}
	case "picture":
		for _, kind := range picture.Kinds {
			c.add(kind+"=", "")
		}
	case "trace", "sarif", "report", "o", "out", "dir", "resume":
		c.files = true
	}
}

// maxCompleted bounds the module that is read for names of kernels, in bytes: the
// answer must come at once.
const maxCompleted = 16 << 20

// maxCompletion bounds how long a source is compiled for the names of its kernels.
const maxCompletion = 2 * time.Second

// quietly is an Env that prints nothing and compiles with the options on the line.
func (c *completion) quietly() *cmdline.Env {
	env := *c.env
	env.Stderr = io.Discard
	env.Source = &cmdline.SourceOptions{FrontEnd: cmdline.OwnFrontEnd, Color: "never"}
	for i := 1; i < len(c.before); i++ {
		is, takesValue := clc.IsOption(c.before[i])
		if is {
			env.Source.Words = append(env.Source.Words, c.before[i])
		}
		if takesValue && i+1 < len(c.before) {
			i++
			env.Source.Words = append(env.Source.Words, c.before[i])
		}
	}
	return &env
}

// kernels adds the kernels of the modules on the line.
func (c *completion) kernels() {
	for _, path := range c.before[1:] {
		if path == "-" || strings.HasPrefix(path, "-") {
			continue
		}
		info, err := c.env.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxCompleted {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), maxCompletion)
		m, err := loader.Load(ctx, c.quietly(), path)
		cancel()
		if err != nil {
			continue
		}
		for _, name := range m.KernelNames() {
			c.add(name, "")
		}
	}
}

// completionScripts are the scripts by shell. Each calls the hidden command with the
// words up to the cursor.
var completionScripts = map[string]string{
	"bash": `# Completion of lockstep for bash.
_lockstep() {
	local line="${COMP_LINE:0:COMP_POINT}" value rest files= cur=
	local -a words
	read -r -a words <<<"$line"
	case "$line" in
	*[[:space:]]) ;;
	*) cur="${words[${#words[@]}-1]}"; unset "words[${#words[@]}-1]" ;;
	esac
	# Bash takes what follows the last of these characters for the word.
	local head="${cur%"${cur##*[:=]}"}"
	COMPREPLY=()
	while IFS=$'\t' read -r value rest; do
		if [ "$value" = ":files" ]; then
			files=1
		else
			COMPREPLY+=("${value#"$head"}")
		fi
	done < <("${words[0]}" __complete "${words[@]:1}" "=$cur" 2>/dev/null)
	case "${COMPREPLY[0]-}" in
	*:|*=) compopt -o nospace 2>/dev/null ;;
	esac
	if [ -n "$files" ]; then
		compopt -o filenames 2>/dev/null
		while IFS= read -r value; do
			COMPREPLY+=("$value")
		done < <(compgen -f -- "${cur#"$head"}")
	fi
}
complete -F _lockstep lockstep
`,
	"zsh": `#compdef lockstep
# Completion of lockstep for zsh.
_lockstep() {
	local line value what files
	local -a values
	while IFS= read -r line; do
		if [[ $line == :files ]]; then
			files=1
			continue
		fi
		value=${line%%$'\t'*}
		what=${line#*$'\t'}
		values+=("${value//:/\\:}${what:+:$what}")
	done < <("${words[1]}" __complete "${(@)words[2,CURRENT-1]}" "=${words[CURRENT]}" 2>/dev/null)
	(( ${#values} )) && _describe lockstep values
	[[ -n $files ]] && _files
	return 0
}
if (( $+functions[compdef] )); then
	compdef _lockstep lockstep
fi
`,
	"fish": `# Completion of lockstep for fish.
function __lockstep_complete
	set -l words (commandline -opc)
	set -l cur (commandline -ct)
	for line in ($words[1] __complete $words[2..-1] "=$cur" 2>/dev/null)
		if test "$line" = ":files"
			__fish_complete_path "$cur"
		else
			echo $line
		end
	end
end
complete -c lockstep -f -a '(__lockstep_complete)'
`,
	"powershell": `# Completion of lockstep for PowerShell.
Register-ArgumentCompleter -Native -CommandName lockstep -ScriptBlock {
	param($wordToComplete, $commandAst, $cursorPosition)
	$words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') } | ForEach-Object { $_.Extent.Text })
	$command = $words[0]
	$before = @($words | Select-Object -Skip 1)
	& $command __complete @before "=$wordToComplete" 2>$null | ForEach-Object {
		if ($_ -eq ':files') {
			[System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
		} else {
			$value, $what = $_ -split ` + "\"`t\"" + `, 2
			if (-not $what) { $what = $value }
			[System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $what)
		}
	}
}
`,
}
