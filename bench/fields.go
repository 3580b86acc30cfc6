package bench

import (
	"fmt"
	"hash/fnv"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
)

// Watched says whether a kernel is one of those whose speed nobody works on in particular: what is done for
// others has to help them too. Their names choose them, by the lowest bit of their hash (FNV-1a of 32 bits).
func Watched(kernel string) bool {
	h := fnv.New32a()
	h.Write([]byte(kernel))
	return h.Sum32()&1 == 1
}

// fieldWorkloads are those of the set Fields.
func fieldWorkloads(all map[string]*kernels.Kernel) ([]*Workload, error) {
	var list []*Workload
	for _, f := range []struct {
		field   string
		kernels []string
	}{
		{"video", []string{"sobel", "nv12_to_rgba", "median3x3", "upscale", "bilateral", "block_match",
			"box_columns"}},
		{"signals", []string{"fir16", "biquad", "dct8x8", "mix_tracks", "convolve5x5"}},
		{"dense matrices", []string{"gemm_regs", "gemv", "cholesky6"}},
		{"sparse matrices", []string{"spmv_q8", "pagerank"}},
		{"neural networks", []string{"qgemm", "depthwise", "softmax", "layernorm", "attention", "gelu"}},
		{"graphs", []string{"bfs_step", "relax", "triangles"}},
		{"sorting", []string{"buckets", "merge_ranks", "sort16"}},
		{"genomes and text", []string{"smith_waterman", "edit_distance", "count_words", "parse_records",
			"automaton"}},
		{"compression", []string{"lz_decode", "rle_encode"}},
		{"cryptography", []string{"chacha20", "siphash", "montgomery"}},
		{"physics", []string{"lennard_jones", "sph_density", "lattice_boltzmann", "wave3d", "generation",
			"heat_rod"}},
		{"finance", []string{"asian_option", "binomial_tree", "implied_volatility"}},
		{"rays and points", []string{"spheres", "phong", "scatter", "nearest"}},
		{"machines and searches", []string{"stack_machine", "register_machine", "queens"}},
		{"random numbers", []string{"xoshiro"}},
	} {
		for _, name := range f.kernels {
			k := all[name]
			if k == nil {
				return nil, fmt.Errorf("package kernels has no kernel %q", name)
			}
			sizes := k.Sizes()
			if len(sizes) != 3 {
				return nil, fmt.Errorf("kernel %s has %d sizes", name, len(sizes))
			}
			list = append(list, &Workload{Kernel: k, Set: Fields, Field: f.field, Small: sizes[0], Default: sizes[1],
				Large: sizes[2]})
		}
	}
	return list, nil
}
