package diag

import "strings"

// Nearest returns the candidate whose spelling is nearest to an unknown name, and "" if none is near enough
// to be what was meant. Among equals the first wins.
func Nearest(name string, candidates []string) string {
	best, result := Limit(name)+1, ""
	for _, c := range candidates {
		if d := Distance(name, c, best-1); d < best {
			best, result = d, c
		}
	}
	return result
}

// Limit returns how many edits away from a name a suggestion may be: about a third of its characters.
func Limit(name string) int { return (len(name) + 2) / 3 }

// maxDistance is the length of the longest names that are compared.
const maxDistance = 128

// Distance returns how many insertions, deletions, replacements and exchanges of neighbours lead from a to b, or
// limit+1 if that is more than limit. A change of case counts as one in all.
func Distance(a, b string, limit int) int {
	if a == b {
		return 0
	}
	if d := len(a) - len(b); limit <= 0 || d > limit || -d > limit || len(a) > maxDistance || len(b) > maxDistance {
		return limit + 1
	}
	if strings.EqualFold(a, b) {
		return 1
	}
	var rows [3][maxDistance + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := 0; j <= len(b); j++ {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit+1)
}
