// Each work-item also sets a field of the next structure.
//! run -global 7 -local 7 -arg zero:i32:24
typedef struct { int own, seen, pad; } node;
kernel void visit(global node *n)
{
	size_t i = get_global_id(0);
	n[i].own = n[i].seen + 1; // find E-RACE
	n[i + 1].seen = 1; // find E-RACE
}
