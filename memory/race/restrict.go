package race

// Restricts follows which bytes each work-item accesses through which pointer parameters, where parameters
// lead to the same memory and one of them is restrict: what is accessed through a restrict pointer and
// modified must be accessed through that one alone (C99 6.7.3.1). Each work-item executes the kernel with
// parameters of its own.
type Restricts struct {
	params []RestrictParam
	bytes  map[uint64][]touch // by place
	forgot bool
}

// RestrictParam is a parameter to follow.
type RestrictParam struct {
	Follow   bool // it leads to memory that another one leads to
	Restrict bool
	Place    uint64 // of its first byte, among the places of all parameters
	Size     uint64 // in bytes
}

// touch is who has last accessed a byte through a parameter: the work-item's number and 1, and 0 for nobody.
type touch struct {
	param       int
	read, wrote uint64
}

// maxRestrictBytes is how many bytes are followed at the same time. What came before is forgotten.
const maxRestrictBytes = 1 << 20

// NewRestricts follows accesses of one launch; nil where no parameter is to be followed.
func NewRestricts(params []RestrictParam) *Restricts {
	for i := range params {
		if params[i].Follow {
			return &Restricts{params: params, bytes: map[uint64][]touch{}}
		}
	}
	return nil
}

// Follows says whether accesses through a parameter are to be told.
func (r *Restricts) Follows(param int) bool { return r != nil && r.params[param].Follow }

// Forgot says whether accesses have been forgotten, so that a later one may have been compared with too few.
func (r *Restricts) Forgot() bool { return r != nil && r.forgot }

// Access notes that a work-item accesses n bytes at an offset from where a parameter leads. If it has
// accessed one of them through another parameter, one of the two is restrict, and one of the accesses is a
// write, then other is that parameter, and wrote says whether that access was a write; otherwise other is
// -1.
func (r *Restricts) Access(param int, offset int64, n uint64, write bool, item uint64) (other int, wrote bool) {
	p := &r.params[param]
	other = -1
	if offset < 0 || uint64(offset) >= p.Size {
		return other, false
	}
	item++
	for at := p.Place + uint64(offset); n > 0; at, n = at+1, n-1 {
		list := r.bytes[at]
		own := -1
		for i := range list {
			t := &list[i]
			switch {
			case t.param == param:
				own = i
			case !p.Restrict && !r.params[t.param].Restrict:
			case t.wrote == item:
				other, wrote = t.param, true
			case write && t.read == item && other < 0:
				other = t.param
			}
		}
		if own < 0 {
			if list == nil && len(r.bytes) >= maxRestrictBytes {
				clear(r.bytes)
				r.forgot = true
			}
			own = len(list)
			list = append(list, touch{param: param})
			r.bytes[at] = list
		}
		if write {
			list[own].wrote = item
		} else {
			list[own].read = item
		}
	}
	return other, wrote
}
