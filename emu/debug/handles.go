package debug

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/memory"
)

// handleText shows what a handle stands for, in the form that -arg has for it: "image:8x8:rgba:unorm8". The type of
// the variable says whether it is a sampler, which is no handle but the state itself.
func (s *Session) handleText(v Value) string {
	if v.Type.strip().Name == "sampler_t" {
		return samplerText(memory.Sampler(v.word()))
	}
	if im := s.mem.Image(memory.Pointer(v.word())); im != nil {
		return imageText(im)
	}
	return fmt.Sprintf("handle %#x", v.word())
}

// imageText describes an image.
func imageText(im *memory.Image) string {
	var text string
	switch {
	case im.Dim == memory.Dim3D:
		text = fmt.Sprintf("image3d:%dx%dx%d", im.Width, im.Height, im.Depth)
	case im.Dim == memory.Dim2D && im.Array:
		text = fmt.Sprintf("image2d_array:%dx%dx%d", im.Width, im.Height, im.Layers)
	case im.Dim == memory.Dim2D:
		text = fmt.Sprintf("image:%dx%d", im.Width, im.Height)
	case im.Dim == memory.DimBuffer:
		text = fmt.Sprintf("image1d_buffer:%d", im.Width)
	case im.Array:
		text = fmt.Sprintf("image1d_array:%dx%d", im.Width, im.Layers)
	default:
		text = fmt.Sprintf("image1d:%d", im.Width)
	}
	if im.Levels > 1 {
		text += fmt.Sprintf("/%d", im.Levels)
	}
	return text + ":" + im.Format.String()
}

// samplerText describes a sampler.
func samplerText(s memory.Sampler) string {
	st := s.State()
	words := []string{"nearest", st.Addressing.String()}
	if st.Linear {
		words[0] = "linear"
	}
	if st.Normalized {
		words = append(words, "normalized")
	}
	return "sampler:" + strings.Join(words, ",")
}
