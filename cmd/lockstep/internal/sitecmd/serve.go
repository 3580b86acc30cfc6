package sitecmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/site"
)

// programText says where the playground's program comes from; two commands tell it.
const programText = `
The program in WebAssembly is part of lockstep if that was built with -tags playground. Otherwise it
is built by the Go toolchain, once, from the sources in or above this folder or else from the
module of this version of lockstep, and kept in the user's cache folder.
`

// ServeCommand is lockstep serve.
var ServeCommand = &cmdline.Command{
	Name:  "serve",
	Short: "serve the playground, a page in a browser with lockstep in it",
	Long: `Serves the playground until it is interrupted, and prints its address: a page to write kernels, run
them and step through them, with the lessons of the course. Kernels run in the browser; nothing that
is written there leaves it, and the page loads nothing from anywhere else.

  lockstep serve -open

Without -listen only programs of this machine can reach it. -listen HOST:PORT chooses another
address; one that other machines reach needs -public, too. lockstep site writes the same page to a folder.
` + programText,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		listen := f.String("listen", "127.0.0.1:8017", "serve at `HOST:PORT`; port 0 is one that is free")
		public := f.Bool("public", false, "serve also at addresses that other machines reach")
		open := f.Bool("open", false, "open the page in the browser")
		return func(ctx context.Context, env *cmdline.Env, args []string) error {
			if len(args) > 0 {
				return cmdline.Usagef("help serve", "serve: takes no arguments")
			}
			return serve(ctx, env, *listen, *public, *open, f.Given("listen") != "")
		}
	},
}

// serve serves the page until ctx ends. chosen says that somebody has chosen the address.
func serve(ctx context.Context, env *cmdline.Env, listen string, public, open, chosen bool) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return cmdline.Usagef("help serve", "serve: -listen %s: HOST:PORT is wanted, as in 127.0.0.1:8017", cmdline.Printable(listen))
	}
	if !loopback(host) && !public {
		return cmdline.Usagef("help serve", "serve: -listen %s: other machines could reach that; -public allows it", cmdline.Printable(listen))
	}
	l, err := net.Listen("tcp", listen)
	if err != nil && !chosen { // the port may be in use
		l, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return fmt.Errorf("-listen %s: %w", cmdline.Printable(listen), err)
	}
	defer l.Close()
	s, err := playground(ctx, env, public)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	if !public {
		server.Handler = localOnly(s)
	}
	address := "http://" + l.Addr().String() + "/"
	fmt.Fprintf(env.Stdout, "the playground is at %s\n", address)
	if f, ok := env.Stdout.(interface{ Flush() error }); ok {
		if err := f.Flush(); err != nil {
			return err
		}
	}
	if open {
		if err := browse(address); err != nil {
			fmt.Fprintf(env.Stderr, "lockstep: note: no browser was opened: %v\n", err)
		}
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // what it would say, Serve says
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// loopback says whether only programs of this machine reach a host.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// localOnly refuses requests for other hosts: a page from elsewhere, whose name leads here, is not to read what is
// served here.
func localOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !loopback(strings.Trim(host, "[]")) {
			http.Error(w, "this host is not served", http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// browse opens an address in the user's browser.
func browse(address string) error {
	words := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		words = []string{"open"}
	case "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	cmd := exec.Command(words[0], append(words[1:], address)...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // it may live as long as the browser does
	return nil
}

// buildProgram returns the playground's program. Tests have another.
var buildProgram = site.Build

// playground returns the page, with a program that is compressed if packed is true.
func playground(ctx context.Context, env *cmdline.Env, packed bool) (*site.Site, error) {
	p, err := buildProgram(ctx, ".", packed, env.Stderr)
	if err != nil {
		return nil, err
	}
	return site.New(p)
}

// SiteCommand is lockstep site.
var SiteCommand = &cmdline.Command{
	Name:  "site",
	Short: "write the playground as files for a web server",
	Text:  true,
	Long: `Writes the playground to the folder of -o, as files that any host of static files can serve, also one
that compresses nothing. Links in the page are relative, so that it may be served at any path. Files
that have other names stay. lockstep serve shows the same page on this machine.

The page is index.html, with styles and scripts. The program is lockstep.wasm.xz, which the page
decompresses itself; wasm_exec.js, of the Go toolchain, starts it. Together they are less than 4 MB.
_headers has the page's security policy, for hosts that read such a file.

  lockstep site -o public
` + programText,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		dir := f.String("o", "", "write to the folder `DIR`, which is made if there is none")
		return func(ctx context.Context, env *cmdline.Env, args []string) error {
			switch {
			case len(args) > 0:
				return cmdline.Usagef("help site", "site: takes no arguments; -o names the folder")
			case *dir == "":
				return cmdline.Usagef("help site", "site: missing -o DIR")
			}
			// A folder that cannot be made is said before the program is built, which may take a minute.
			if err := os.MkdirAll(*dir, 0o777); err != nil {
				return err
			}
			s, err := playground(ctx, env, true)
			if err != nil {
				return err
			}
			if err := s.Write(*dir); err != nil {
				return err
			}
			total := 0
			for _, name := range s.Names() {
				total += s.Size(name)
				if s.Size(name) > 100<<10 {
					fmt.Fprintf(env.Stdout, "%9d  %s\n", s.Size(name), name)
				}
			}
			_, err = fmt.Fprintf(env.Stdout, "%9d  bytes in %s\n", total, cmdline.Counted(len(s.Names()), "file"))
			return err
		}
	},
}
