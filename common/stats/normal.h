// The standard normal distribution. Thread safe.
#pragma once

namespace hone {

double normal_cdf(double z);

// The z with normal_cdf(z) == p, to about 1e-15; -infinity for 0, infinity for 1, NaN outside.
double normal_quantile(double p);

}  // namespace hone
