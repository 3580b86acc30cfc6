package argspec

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/memory"
)

const samplerForms = "sampler:WORD[,WORD…] with nearest or linear; none, clamp_to_edge, clamp, repeat or mirrored_repeat; normalized or unnormalized; mip_nearest or mip_linear"

// samplerWords has, for each word, the group of which a sampler has one, and what the word says.
var samplerWords = map[string]struct {
	group string
	set   func(*memory.SamplerState)
}{
	"nearest":      {"filter", func(s *memory.SamplerState) { s.Linear = false }},
	"linear":       {"filter", func(s *memory.SamplerState) { s.Linear = true }},
	"normalized":   {"coordinates", func(s *memory.SamplerState) { s.Normalized = true }},
	"unnormalized": {"coordinates", func(s *memory.SamplerState) { s.Normalized = false }},
	"mip_nearest":  {"filter between levels", func(s *memory.SamplerState) { s.MipLinear = false }},
	"mip_linear":   {"filter between levels", func(s *memory.SamplerState) { s.MipLinear = true }},
}

// sampler reads what stands behind "sampler:": words in any order. Without a word of a group a sampler is
// nearest, clamp_to_edge, unnormalized and mip_nearest.
func (p *parser) sampler(text string, at int) (*Arg, error) {
	s := memory.SamplerState{Addressing: memory.AddressClampToEdge, MaxLod: 256}
	seen := map[string]string{}
	for {
		item, rest, more := strings.Cut(text, ",")
		word, pos := trim(item, at)
		at += len(item) + 1
		group := "addressing mode"
		set := func(*memory.SamplerState) {}
		if w, ok := samplerWords[word]; ok {
			group, set = w.group, w.set
		} else {
			found := false
			for a := range memory.NumAddressings {
				if a.String() == word {
					found, set = true, func(s *memory.SamplerState) { s.Addressing = a }
				}
			}
			if !found {
				return nil, p.fail(pos, samplerForms, "%q says nothing of a sampler", word)
			}
		}
		if first, again := seen[group]; again {
			return nil, p.fail(pos, samplerForms, "%s after %s: a sampler has one %s", word, first, group)
		}
		seen[group] = word
		set(&s)
		if !more {
			break
		}
		text = rest
	}
	if (s.Addressing == memory.AddressRepeat || s.Addressing == memory.AddressMirroredRepeat) && !s.Normalized {
		if seen["coordinates"] != "" {
			return nil, p.fail(0, samplerForms, "%s takes normalized coordinates", s.Addressing)
		}
		s.Normalized = true
	}
	return &Arg{Kind: Sampler, Type: U8, Sampler: &s}, nil
}
