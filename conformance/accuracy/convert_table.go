package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
)

// The second part of ACCURACY.md has what is compared with exact arithmetic, bit for bit.

const conversionHead = "## Conversions\n"

const conversionIntro = conversionHead + `
Conversions are compared with exact arithmetic, bit for bit (a NaN counts as any other), on the engines interp and native:
casts, ` + "`convert_T`, `convert_T_sat`" + ` and each of them with ` + "`_rte`, `_rtz`, `_rtp` and `_rtn`, `vload_half`, `vstore_half`" + ` and their
variants with ` + "`a`" + `, and between types that OpenCL C has no name for, the instructions of SPIR-V with the same roundings and
with their saturation. Each is tried on scalars and on vectors of 2, 3, 4, 8 and 16.

- **to**: the number of types that there are conversions to.
- **ways**: the pairs of types, times roundings, saturation and ways to write it, times the sizes of vectors.
- **inputs tried**: all of a type of 16 bits or fewer. Otherwise the limits of each type, denormals, powers of two, numbers
  in the middle between two of a type, the numbers next to all these, infinities, NaN and random numbers.
- **results**: those compared, on each engine.

Where a float is beyond the integers of a type, or NaN, OpenCL leaves the result of a conversion without ` + "`_sat`" + ` open. Here
it is that of ` + "`_sat`" + `. A conversion to fp8e4m3, which has no infinity, gives NaN for what is too large unless it saturates.

| from | to | ways | inputs tried | results | disagreements |
| --- | --- | --- | --- | --- | --- |
`

const halfIntro = `
## Arithmetic of halves

Each operation is compared with exact arithmetic that is rounded once, at all halves for ` + "`a`" + ` with each of some halves for
` + "`b`" + `: edges and random ones. ` + "`c`" + ` is random, or near ` + "`-a*b`" + `.

| operation | values of b | results | disagreements |
| --- | --- | --- | --- |
`

// seconds is how many second operands the arithmetic of halves is measured with.
const seconds = 64

// tried are the codes with which a conversion is measured.
func tried(f *format) string {
	list := inputsOf(f)
	if f.bits <= 16 {
		return "all " + grouped(uint64(1)<<f.bits)
	}
	slices.Sort(list)
	return grouped(uint64(len(slices.Compact(list)))) + " edges and random"
}

// conversionLine is the line of the conversions from a type, with so many wrong results.
func conversionLine(from *format, list []*conversion, wrong uint64) string {
	to, ways, count := map[*format]bool{}, 0, len(inputsOf(from))
	for _, c := range list {
		if c.from == from {
			to[c.to] = true
			ways += len(c.forms)
		}
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %s | %s |\n",
		from.name, len(to), grouped(uint64(ways)), tried(from), grouped(uint64(ways*count)), disagreements(wrong))
}

func halfLine(operation int, wrong uint64) string {
	return fmt.Sprintf("| `%s` | %d | %s | %s |\n", halfOperations[operation].text, seconds, grouped(seconds<<16), disagreements(wrong))
}

func disagreements(n uint64) string {
	if n == 0 {
		return "none"
	}
	return grouped(n)
}

// exactSection measures conversions and the arithmetic of halves on all engines and returns the second part of the table.
func exactSection() (string, error) {
	list := conversions(true)
	wrong := map[*format]uint64{}
	engines := emu.Engines()[1:]
	if len(engines) != 2 {
		return "", errors.New("conversions are measured where the engine native works")
	}
	for _, engine := range engines {
		v, err := newConverter(engine, list)
		if err != nil {
			return "", err
		}
		defer v.device.Close()
		for _, c := range list {
			codes := inputsOf(c.from)
			got, err := v.run(c, codes)
			if err != nil {
				return "", err
			}
			c.check(codes, got, func(f form, code, got, want uint64) {
				if wrong[c.from]++; wrong[c.from] <= 10 {
					fmt.Printf("%s: %s, %+v: %#x gives %#x, want %#x\n", engine, c.kernel(), f, code, got, want)
				}
			})
		}
	}
	var b strings.Builder
	b.WriteString(conversionIntro)
	for _, from := range formats {
		b.WriteString(conversionLine(from, list, wrong[from]))
	}
	b.WriteString(halfIntro)
	h := newHalfRun(halfSeconds(seconds))
	bad := make([]uint64, len(halfOperations))
	for _, engine := range engines {
		got, err := h.results(engine)
		if err != nil {
			return "", err
		}
		for k := range halfOperations {
			h.check(k, got, func(uint64, uint64, uint64, uint64, uint64) { bad[k]++ })
		}
	}
	for k := range halfOperations {
		b.WriteString(halfLine(k, bad[k]))
	}
	return b.String(), nil
}

// readSection returns the second part of a table, "" where there is none.
func readSection(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	_, section, _ := strings.Cut(string(data), "\n"+conversionHead)
	if section != "" {
		section = conversionHead + section
	}
	return section, nil
}
