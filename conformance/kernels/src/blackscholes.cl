// European option prices after Black and Scholes, with log, exp and sqrt and a
// polynomial for the cumulative normal distribution.
#pragma OPENCL FP_CONTRACT OFF

static float cnd(float d)
{
	float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
	float p = 1.330274429f;
	p = p * k + -1.821255978f;
	p = p * k + 1.781477937f;
	p = p * k + -0.356563782f;
	p = p * k + 0.319381530f;
	p = p * k;
	float c = 0.39894228f * exp(-0.5f * d * d) * p;
	return d > 0.0f ? 1.0f - c : c;
}

kernel void blackscholes(global const float *price, global const float *strike, global const float *years,
                         float rate, float volatility, global float *call, global float *put)
{
	size_t i = get_global_id(0);
	float s = price[i];
	float x = strike[i];
	float t = years[i];
	float root = sqrt(t);
	float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
	float d2 = d1 - volatility * root;
	float n1 = cnd(d1), n2 = cnd(d2);
	float discount = exp(-rate * t);
	call[i] = s * n1 - x * discount * n2;
	put[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
}
