package ssa

// Heap is a binary heap with the least element on top: list[0].
type Heap[T any] struct {
	List []T
	Less func(x, y T) bool
}

// Push adds an element.
func (h *Heap[T]) Push(x T) {
	h.List = append(h.List, x)
	for i := len(h.List) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.Less(h.List[i], h.List[up]) {
			return
		}
		h.List[i], h.List[up] = h.List[up], h.List[i]
		i = up
	}
}

// Pop takes the least element; there must be one.
func (h *Heap[T]) Pop() T {
	top := h.List[0]
	last := len(h.List) - 1
	h.List[0] = h.List[last]
	h.List = h.List[:last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if h.Less(h.List[c], h.List[least]) {
				least = c
			}
		}
		if least == i {
			return top
		}
		h.List[i], h.List[least] = h.List[least], h.List[i]
		i = least
	}
}
