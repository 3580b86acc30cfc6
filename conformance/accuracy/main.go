// Accuracy measures the functions of OpenCL.std against GNU MPFR, on the machine as kernels see it, and writes the table
// ACCURACY.md: which inputs were tried, the greatest error, and what OpenCL demands. It needs gcc and libmpfr-dev. It also
// compares conversions between all types, and the arithmetic of halves, with exact arithmetic.
//
//	go run ./conformance/accuracy                       all functions: ten minutes
//	go run ./conformance/accuracy -functions exp,log    these rows; the others stay
//	go run ./conformance/accuracy -exact                conversions and arithmetic only, without MPFR: a minute
//	go run ./conformance/accuracy -functions exp -types float -stride 1   all 2^32 floats
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa/clmath/judge"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("accuracy: ")
	functions := flag.String("functions", "", "the functions to measure, with commas; all if empty")
	only := flag.String("types", "half,float,double", "the types to measure")
	file := flag.String("o", "conformance/ACCURACY.md", "the table; rows of other functions stay")
	engine := flag.String("engine", "", "the engine that runs the kernels")
	exact := flag.Bool("exact", false, "measure only conversions and arithmetic")
	s := survey{}
	flag.Uint64Var(&s.stride, "stride", 4099, "the step from one float to the next, for functions of one")
	flag.IntVar(&s.count, "points", 100000, "points of functions of several arguments, and of doubles")
	flag.IntVar(&s.intervals, "intervals", 20000, "intervals in which hard cases of doubles are searched")
	flag.Parse()
	if s.stride == 0 || s.count <= 0 || s.intervals < 0 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if !*exact {
		if err := s.run(*functions, *only, *file, *engine); err != nil {
			log.Fatal(err)
		}
	}
	if *exact || *functions == "" {
		if err := runExact(*file); err != nil {
			log.Fatal(err)
		}
	}
}

// runExact writes the second part of the table.
func runExact(file string) error {
	table, err := readTable(file)
	if err != nil {
		return err
	}
	section, err := exactSection()
	if err != nil {
		return err
	}
	return writeTable(file, table, section)
}

func (s *survey) run(functions, only, file, engine string) error {
	names := strings.FieldsFunc(functions, func(c rune) bool { return c == ',' })
	for _, name := range names {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.name == name }) {
			return fmt.Errorf("no function %s", name)
		}
	}
	table, err := readTable(file)
	if err != nil {
		return err
	}
	section, err := readSection(file)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "accuracy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if s.judge, err = judge.Build(dir); err != nil {
		return err
	}
	for t, typ := range types {
		if !slices.Contains(strings.Split(only, ","), typ.name) {
			continue
		}
		if s.machines[t], err = newMachine(engine, t); err != nil {
			return err
		}
		defer s.machines[t].close()
		for i := range rows {
			r := &rows[i]
			if r.demand[t] == "" || len(names) > 0 && !slices.Contains(names, r.name) {
				continue
			}
			m, err := s.measure(r, t)
			if err != nil {
				return err
			}
			l := m.line()
			table[l.key()] = l
			fmt.Println(l)
			if err := writeTable(file, table, section); err != nil {
				return err
			}
		}
	}
	return nil
}
