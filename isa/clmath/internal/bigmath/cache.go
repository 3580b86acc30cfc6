package bigmath

import (
	"math/big"
	"sync"
)

// constant keeps the most precise value asked for of a constant that every
// function needs again and again.
type constant struct {
	mu      sync.Mutex
	value   *big.Float
	compute func(prec uint) *big.Float
}

func (c *constant) at(prec uint) *big.Float {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.value == nil || c.value.Prec() < prec {
		c.value = c.compute(prec)
	}
	return zero(prec).Set(c.value)
}

var (
	piConst  = constant{compute: computePi}
	ln2Const = constant{compute: computeLn2}
)

// Pi returns pi.
func Pi(prec uint) *big.Float { return piConst.at(prec) }

// Ln2 returns the natural logarithm of 2.
func Ln2(prec uint) *big.Float { return ln2Const.at(prec) }

var bernoulli struct {
	mu     sync.Mutex
	values []*big.Rat
}

// Bernoulli returns the Bernoulli numbers B(0), B(2), ..., B(2n). The caller
// must not change them.
func Bernoulli(n int) []*big.Rat {
	bernoulli.mu.Lock()
	defer bernoulli.mu.Unlock()
	if len(bernoulli.values) <= n {
		bernoulli.values = computeBernoulli(n)
	}
	return bernoulli.values[:n+1]
}
