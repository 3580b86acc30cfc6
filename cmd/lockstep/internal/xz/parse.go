package xz

import "slices"

// window is how many bytes the parser looks ahead.
const window = 4096

// freshness is after how many matches the prices are computed anew.
const freshness = 128

// node is a position that the parser has reached, the cheapest way that it knows.
type node struct {
	price uint32
	// The symbols of the last step: the first one, and where extra is positive a literal, unless first is one, and extra
	// bytes of the latest distance.
	from  int32
	first symbol
	extra uint32
	state uint8
	reps  [4]uint32
}

// parser chooses symbols: among all ways from one position to another it takes the cheapest, by dynamic programming. A
// way is known by its end only, so that what a state or a distance is worth later does not count, except that a step may
// be a match, a byte that differs, and the match's continuation.
type parser struct {
	nodes   [window + 2*maxMatch + 2]node
	last    int // node that was reached
	prices  prices
	age     int // matches since prices was computed
	begun   bool
	symbols []symbol
}

// parse returns the symbols for the next bytes.
func (e *encoder) parse() []symbol {
	p := &e.parser
	if !p.begun || p.age >= freshness {
		p.prices.update(&e.model, 1<<e.pb)
		p.begun, p.age = true, 0
	}
	p.nodes[0] = node{state: e.state, reps: e.reps}
	p.last = 0
	end := 0
	for i := 0; ; i++ {
		if i > 0 {
			p.arrive(i)
		}
		if i > 0 && i == p.last || i >= window || e.pos+i >= len(e.data) {
			end = i
			break
		}
		matches := e.finder.matches()
		if n := e.longStep(i, matches); n > 0 {
			end = n
			break
		}
		e.steps(i, matches)
	}
	// Back from the end, and then the symbols in their order.
	p.symbols = p.symbols[:0]
	for i := end; i > 0; i = int(p.nodes[i].from) {
		n := &p.nodes[i]
		if n.extra > 0 {
			p.symbols = append(p.symbols, symbol{n.extra, 0})
			if n.first.back != literal {
				p.symbols = append(p.symbols, symbol{1, literal})
			}
		}
		p.symbols = append(p.symbols, n.first)
	}
	slices.Reverse(p.symbols)
	return p.symbols
}

// arrive computes the state and the distances of a node from those of the node before it.
func (p *parser) arrive(i int) {
	n := &p.nodes[i]
	from := &p.nodes[n.from]
	n.state, n.reps = after(from.state, from.reps, n.first)
	if n.extra > 0 {
		if n.first.back != literal {
			n.state = afterLiteral(n.state)
		}
		n.state = afterRep(n.state)
	}
}

// after returns the state and the distances behind a symbol.
func after(state uint8, reps [4]uint32, s symbol) (uint8, [4]uint32) {
	switch {
	case s.back == literal:
		return afterLiteral(state), reps
	case s.back >= 4:
		return afterMatch(state), [4]uint32{s.back - 4, reps[0], reps[1], reps[2]}
	case s.length == 1:
		return afterShort(state), reps
	}
	return afterRep(state), moved(reps, s.back)
}

// longStep takes a match that is long enough without asking for its price, and returns the node at its end, or 0.
func (e *encoder) longStep(i int, matches []match) int {
	p := &e.parser
	n := &p.nodes[i]
	pos := e.pos + i
	limit := min(len(e.data)-pos, maxMatch)
	var best symbol
	for k, d := range n.reps {
		if int(d) < pos {
			if l := common(e.data, pos-int(d)-1, pos, 0, limit); l > int(best.length) {
				best = symbol{uint32(l), uint32(k)}
			}
		}
	}
	if k := len(matches); best.length < nice && k > 0 && matches[k-1].length > best.length {
		best = symbol{matches[k-1].length, matches[k-1].distance + 4}
	}
	if best.length < nice {
		return 0
	}
	end := i + int(best.length)
	p.nodes[end] = node{from: int32(i), first: best}
	for range best.length - 1 { // places within are places of later matches, too
		e.finder.matches()
	}
	return end
}

// reach offers a way to a node.
func (p *parser) reach(i int, price uint32, from int, first symbol, extra uint32) {
	for p.last < i {
		p.last++
		p.nodes[p.last].price = impossible
	}
	if n := &p.nodes[i]; price < n.price {
		n.price, n.from, n.first, n.extra = price, int32(from), first, extra
	}
}

// steps offers all steps from a node.
func (e *encoder) steps(i int, matches []match) {
	p, m := &e.parser, &e.model
	n := &p.nodes[i]
	pos := e.pos + i
	place := e.place(pos)
	limit := min(len(e.data)-pos, maxMatch)

	literalCost := n.price + e.literalPrice(pos, n.state, n.reps[0])
	p.reach(i+1, literalCost, i, symbol{1, literal}, 0)
	matchCost := n.price + price1(m.isMatch[n.state][place])
	repCost := matchCost + price1(m.isRep[n.state])
	if int(n.reps[0]) < pos && e.data[pos] == e.data[pos-int(n.reps[0])-1] {
		p.reach(i+1, repCost+price0(m.isRep0[n.state])+price0(m.isLong[n.state][place]), i, symbol{1, 0}, 0)
	} else {
		e.continued(i, pos, literalCost, symbol{1, literal})
	}
	longestRep := uint32(minMatch - 1)
	for k, d := range n.reps {
		if int(d) >= pos {
			continue
		}
		l := common(e.data, pos-int(d)-1, pos, 0, limit)
		cost := repCost + e.repPrice(uint32(k), n.state, place)
		for length := l; length >= minMatch; length-- {
			p.reach(i+length, cost+p.prices.repMatch[place][length], i, symbol{uint32(length), uint32(k)}, 0)
		}
		if l >= minMatch {
			e.continued(i, pos, cost+p.prices.repMatch[place][l], symbol{uint32(l), uint32(k)})
		}
		longestRep = max(longestRep, uint32(l))
	}
	cost := matchCost + price0(m.isRep[n.state])
	length := uint32(minMatch)
	for _, f := range matches {
		for ; length <= f.length; length++ {
			s := symbol{length, f.distance + 4}
			sum := cost + p.prices.match[place][length] + p.prices.distance(f.distance, length)
			p.reach(i+int(length), sum, i, s, 0)
			if length == f.length {
				e.continued(i, pos, sum, s)
			}
		}
	}
}

// continued offers the step of a symbol at a position, a byte that differs from what the latest distance would have (the
// symbol itself, if it is a literal), and the continuation of the latest distance.
func (e *encoder) continued(i, pos int, cost uint32, s symbol) {
	p, m := &e.parser, &e.model
	state, reps := after(p.nodes[i].state, p.nodes[i].reps, s)
	at := pos + int(s.length) // of the continuation
	if s.back != literal {
		at++
	}
	back := int(reps[0]) + 1
	limit := min(len(e.data)-at, maxMatch)
	if limit < minMatch || back > at-1 {
		return
	}
	l := common(e.data, at-back, at, 0, limit)
	if l < minMatch {
		return
	}
	if s.back != literal {
		cost += e.literalPrice(at-1, state, reps[0])
		state = afterLiteral(state)
	}
	place := e.place(at)
	cost += price1(m.isMatch[state][place]) + price1(m.isRep[state])
	cost += e.repPrice(0, state, place) + p.prices.repMatch[place][l]
	p.reach(at+l-e.pos, cost, i, s, uint32(l))
}
