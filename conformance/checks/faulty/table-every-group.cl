// Every group fills the same table with the same values. Equal values make no order.
//! run -global 16 -local 4 -arg zero:i32:4 -arg zero:i32:16
kernel void look_up(global int *table, global int *out)
{
	size_t l = get_local_id(0);
	table[l] = (int)(l * l); // find E-RACE
	barrier(CLK_GLOBAL_MEM_FENCE);
	out[get_global_id(0)] = table[3 - l]; // find E-RACE
}
