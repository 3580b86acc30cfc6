# Rewrites LLVM assembly text so that llvm-spirv translates what the optimizer
# made of a kernel, without a change of meaning:
#
#   freeze T %v          becomes a select of %v: nothing in the kernels is
#                        undefined or poison, so freeze is the identity;
#   trunc iM %v to iN    whose result a switch selects on, N being no width of
#   switch iN            OpenCL, becomes a mask and a switch of iM.

function narrow(width) {
	return width > 1 && width != 8 && width != 16 && width != 32 && width != 64
}

/^define/ {
	split("", from)
	split("", bits)
}

$2 == "=" && $3 == "freeze" {
	value = $5
	sub(/,$/, "", value)
	print "  " $1 " = select i1 true, " $4 " " value ", " $4 " " value
	next
}

$2 == "=" && $3 == "trunc" && $6 == "to" && narrow(substr($7, 2) + 0) {
	from[$1] = $4
	bits[$1] = substr($7, 2) + 0
	print "  " $1 " = and " $4 " " $5 ", " (2 ^ bits[$1] - 1)
	next
}

$1 == "switch" {
	selector = $3
	sub(/,$/, "", selector)
	inside = selector in from ? selector : ""
	if (inside != "")
		sub(/switch i[0-9]+/, "switch " from[selector])
}

$1 == "]" {
	inside = ""
}

inside != "" && $1 ~ /^i[0-9]+$/ {
	value = $2
	sub(/,$/, "", value)
	if (value < 0)
		value += 2 ^ bits[inside]
	print "    " from[inside] " " value ", " $3 " " $4
	next
}

{ print }
