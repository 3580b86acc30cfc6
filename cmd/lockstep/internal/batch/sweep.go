package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/sweep"
	"github.com/lockstep-gpu/lockstep/emu"
)

// SweepOptions are the flags of commands that do long work in parts.
type SweepOptions struct{ shard, resume string }

// Declare declares the flags; what names the results that a shard has a part of.
func (o *SweepOptions) Declare(f *cmdline.Flags, what string) {
	f.StringVar(&o.shard, "shard", "", fmt.Sprintf("only part `I/N` of the %s, such as 2/8: lockstep merge puts N parts together", what))
	f.StringVar(&o.resume, "resume", "", "append results to `FILE` as they come, and leave out those that it has: after a\nkill, the same command makes the rest; lockstep merge reads such files")
}

// Journal is the file of -resume; without one it keeps nothing.
type Journal struct {
	Shard  sweep.Shard
	Before *sweep.Journal // what it held when the command began; nil for nothing
	w      *sweep.Writer
}

// Open reads the file of -resume and begins to append to it. Total is how many results all shards have; about
// describes the work, and work is a digest of everything that the results depend on.
func (o *SweepOptions) Open(env *cmdline.Env, command string, total int, about any, work string) (*Journal, error) {
	shard, err := sweep.ParseShard(o.shard)
	if err != nil {
		return nil, cmdline.Usagef("help "+command, "%s: -shard %v", command, err)
	}
	j := &Journal{Shard: shard}
	if o.resume == "" {
		return j, nil
	}
	if o.resume == "-" {
		return nil, cmdline.Usagef("help "+command, "%s: -resume takes a file", command)
	}
	text, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	h := &sweep.Header{Command: command, Version: emu.Version, Work: work, Total: total, Shard: shard.Number, Shards: shard.Of, About: text}
	if j.Before, err = ReadJournal(env, o.resume); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("-resume %w", err)
	}
	if j.Before != nil {
		if err := j.Before.Continues(h); err != nil {
			return nil, fmt.Errorf("-resume %s: %w", o.resume, err)
		}
	}
	w, err := env.Append(o.resume)
	if err != nil {
		return nil, fmt.Errorf("-resume: %w", err)
	}
	if j.w, err = sweep.NewWriter(w, h, j.Before); err != nil {
		return nil, fmt.Errorf("-resume %s: %w", o.resume, errors.Join(err, w.Close()))
	}
	return j, nil
}

// ReadJournal reads a journal; nil is that of an empty file.
func ReadJournal(env *cmdline.Env, path string) (*sweep.Journal, error) {
	f, err := env.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	j, err := sweep.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return j, nil
}

// Append appends a record.
func (j *Journal) Append(kind string, v any) error {
	if j.w == nil {
		return nil
	}
	if err := j.w.Append(kind, v); err != nil {
		return fmt.Errorf("-resume: %w", err)
	}
	return nil
}

// Close closes the file.
func (j *Journal) Close() error {
	if j.w == nil {
		return nil
	}
	return j.w.Close()
}
