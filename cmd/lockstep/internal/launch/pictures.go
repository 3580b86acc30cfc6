package launch

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/picture"
)

// checkPictures reads the -picture flags.
func (o *Options) checkPictures() error {
	for _, p := range o.pictures {
		kind, path, ok := strings.Cut(p, "=")
		switch {
		case !ok || path == "" || path == "-":
			return cmdline.Usagef("help trace", "run: -picture %s: KIND=FILE.svg is wanted", p)
		case !slices.Contains(picture.Kinds, kind):
			msg := fmt.Sprintf("run: -picture %s: there is no kind %q", p, kind)
			if near := cmdline.Nearest(kind, picture.Kinds); near != "" {
				msg += fmt.Sprintf("; did you mean %s?", near)
			}
			return cmdline.Usagef("help trace", "%s; kinds are %s", msg, cmdline.Enumerated(picture.Kinds))
		}
	}
	return nil
}

// writePictures writes what -picture asks for.
func (r *Run) writePictures(env *cmdline.Env, res *outcome) error {
	if len(r.o.pictures) == 0 {
		return nil
	}
	all := r.allFigures(res)
	for _, p := range r.o.pictures {
		kind, path, _ := strings.Cut(p, "=")
		list := picture.OfKind(all, kind, len(r.Launches))
		if len(list) == 0 {
			return fmt.Errorf("-picture %s: the run has nothing that such a picture shows", p)
		}
		err := cmdline.WriteFile(env, path, func(w io.Writer) error {
			_, err := io.WriteString(w, picture.New(list).SVG())
			return err
		})
		if err != nil {
			return fmt.Errorf("-picture %s: %w", p, err)
		}
	}
	return nil
}

// allFigures returns the figures of all kinds.
func (r *Run) allFigures(res *outcome) []*picture.Figure {
	counts, _ := r.trace.Lines()
	return append(picture.Figures(r.trace, counts), r.itemFigures(res)...)
}

// itemFigures returns the figures of the work-items of each launch.
func (r *Run) itemFigures(res *outcome) (all []*picture.Figure) {
	for i, l := range r.Launches {
		if i < len(res.launches) {
			all = append(all, picture.ItemsFigure(l.Kernel.Name(), l.Global, l.Offset, res.launches[i]))
		}
	}
	return all
}
