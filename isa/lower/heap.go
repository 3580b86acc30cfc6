package lower

// heapOf is a binary heap with the least element on top: list[0].
type heapOf[T any] struct {
	list []T
	less func(x, y T) bool
}

func (h *heapOf[T]) push(x T) {
	h.list = append(h.list, x)
	for i := len(h.list) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.less(h.list[i], h.list[up]) {
			return
		}
		h.list[i], h.list[up] = h.list[up], h.list[i]
		i = up
	}
}

// pop takes the least element; there must be one.
func (h *heapOf[T]) pop() T {
	top := h.list[0]
	last := len(h.list) - 1
	h.list[0] = h.list[last]
	h.list = h.list[:last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if h.less(h.list[c], h.list[least]) {
				least = c
			}
		}
		if least == i {
			return top
		}
		h.list[i], h.list[least] = h.list[least], h.list[i]
		i = least
	}
}
