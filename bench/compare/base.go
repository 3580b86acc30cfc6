package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/lockstep-gpu/lockstep/bench"
)

// baseTarget is how much longer a kernel may take than it took at another
// commit; less than this is noise.
const baseTarget = 1.03

// base measures the workloads against this module as it was at a commit. Two
// processes of the old program run, so that the noise is seen too: one against
// the other.
func (c *comparison) base(ctx context.Context, commit string, workloads []*bench.Workload) (figures []Figure, err error) {
	dir, err := os.MkdirTemp("", "lockstep-base-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program, err := buildAt(ctx, commit, dir)
	if err != nil {
		return nil, err
	}
	var old [2]*process
	for i := range old {
		p, err := startProgram(ctx, program, workerKind{name: "lockstep at " + commit, index: lockstepIndex}, c.timeout)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, p.close()) }()
		old[i] = p
	}
	// Of the older one, what it chooses by itself is measured; so it is here.
	present, err := startWorker(ctx, workerKind{name: "lockstep", index: lockstepIndex}, c.timeout)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, present.close()) }()
	requests := []request{{Kernel: "empty", Launch: bench.Empty()}}
	for _, w := range workloads {
		l := w.Default
		if c.sizes == "small" {
			l = w.Small
		}
		requests = append(requests, request{Kernel: w.Name(), Launch: l})
	}
	for _, q := range requests {
		now := &rival{process: present, request: q}
		then := &rival{process: old[0], request: q}
		again := &rival{process: old[1], request: q}
		if err := c.race([]*rival{then, now, again}); err != nil {
			return nil, err
		}
		longer := median(ratios(now.times, then.times))
		noise := median(ratios(again.times, then.times))
		figures = append(figures, Figure{
			Table: "against " + commit,
			Name:  q.Kernel, Value: longer, Unit: "times as long",
			Target: fmt.Sprintf("at most %g", baseTarget), Verdict: verdict(longer <= baseTarget),
			Detail: fmt.Sprintf("%s work-items: %s and %s; in CPU time %s; the old program against itself %s", describe(q.Launch),
				milliseconds(median(now.times).Seconds()), milliseconds(median(then.times).Seconds()),
				number(median(ratios(now.cpu, then.cpu))), number(noise)),
		})
	}
	return figures, nil
}

// buildAt unpacks the module as it was at a commit below dir and builds this
// program there.
func buildAt(ctx context.Context, commit, dir string) (string, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	tree := filepath.Join(dir, "tree")
	if err := unpack(ctx, root, commit, tree); err != nil {
		return "", err
	}
	program := filepath.Join(dir, "compare.exe")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	build.Dir = filepath.Join(tree, "bench", "compare")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("building bench/compare at %s: %w", commit, err)
	}
	return program, nil
}

// unpack writes the files of a commit of the repository at root below dir.
func unpack(ctx context.Context, root, commit, dir string) (err error) {
	archive := exec.CommandContext(ctx, "git", "-C", root, "archive", "--format=tar", "--end-of-options", commit)
	archive.Stderr = os.Stderr
	out, err := archive.StdoutPipe()
	if err != nil {
		return err
	}
	if err := archive.Start(); err != nil {
		return err
	}
	defer func() {
		// What is left has to be read for git to end.
		_, rest := io.Copy(io.Discard, out)
		if werr := archive.Wait(); werr != nil {
			werr = fmt.Errorf("git archive %s: %w", commit, werr)
			err = errors.Join(err, rest, werr)
		}
	}()
	for files := tar.NewReader(out); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(h.Name) {
			return fmt.Errorf("the archive of %s has a file %q", commit, h.Name)
		}
		path := filepath.Join(dir, h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(path, 0o777)
		case tar.TypeReg:
			err = write(path, files)
		}
		if err != nil {
			return err
		}
	}
}

// write makes a file with this content.
func write(path string, content io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
