package race

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/memory"
)

// Elements of images are memory of their own, whose order is that of barriers and fences which name images
// (CLK_IMAGE_MEM_FENCE; OpenCL C 3.0, 6.15.8). An image and the buffer that it shows are not compared.

// Paints says whether a launch may write images: until then, nobody looks at their elements.
func (g *Group) Paints() bool { return g.d.paints }

// Texel tells of an access of one work-item to an element of an image, at p in the memory of the image.
func (g *Group) Texel(a *Access, p memory.Pointer, item int) {
	if !g.d.paints {
		return
	}
	o, dm := g.d.image(p), &g.domains[inImage]
	if o == nil || a.Size == 0 || o.size < a.Size || uint64(p.Offset()) > o.size-a.Size {
		return
	}
	g.Same = nil
	v := visit{Access: a, object: o, domain: dm}
	if g.by(&v, item, g.eventOf(a, dm.clockOf(item))) {
		g.touch(&v, uint64(p.Offset()))
	}
}

// image returns what is kept of the memory of an image.
func (d *Detector) image(p memory.Pointer) *object {
	r := d.mem.Lookup(p.Alloc())
	if r == nil || len(r.Data) == 0 {
		return nil
	}
	data := unsafe.SliceData(r.Data)
	o := d.images[data]
	if o == nil {
		o = d.newObject(memory.MakePointer(memory.SpaceGlobal, p.Alloc(), 0), r.Size)
		o.image = true
		if d.images == nil {
			d.images = map[*byte]*object{}
		}
		d.images[data] = o
	}
	return o
}
