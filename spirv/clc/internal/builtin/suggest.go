package builtin

import "strings"

// Suggest returns the name of a built-in function of this compilation that is most like a name, "" if none is like
// it or none of those can be used: at most a third of the name's letters may have to be changed.
func (t *Table) Suggest(name string) string {
	limit := (len(name) + 2) / 3
	if len(name) < 3 || len(name) > 64 {
		return ""
	}
	best, least := "", limit+1
	for _, n := range Names() {
		if d := len(n) - len(name); d >= least || -d >= least {
			continue
		}
		if strings.EqualFold(n, name) && t.Has(n) {
			return n
		}
		if d := distance(name, n, least); d < least && t.Has(n) && t.Def(n).Refused == "" {
			best, least = n, d
		}
	}
	return best
}

// distance counts the letters to add, leave out, or replace to make b of a; what is limit or more is limit.
func distance(a, b string, limit int) int {
	var line [65]int
	row := line[:len(a)+1]
	for i := range row {
		row[i] = i
	}
	for j := range len(b) {
		diagonal, least := row[0], j+1
		row[0] = j + 1
		for i := range len(a) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[i], row[i+1])
			}
			diagonal, row[i+1] = row[i+1], cost
			least = min(least, cost)
		}
		if least >= limit {
			return limit
		}
	}
	return min(row[len(a)], limit)
}
