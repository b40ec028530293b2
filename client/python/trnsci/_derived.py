# SPDX-License-Identifier: Apache-2.0
"""Distributions that are made of others: of the engine's by arithmetic that
rounds the same everywhere, or by numpy's own algorithms over the words."""
import warnings

import numpy as np

from ._bit_generator import BitGenerator


class _Operands:
    """Parameters that were broadcast against each other and a size.

    `whole` are those of the whole draw, for the generator's methods; `part`
    those of this rank's part, for arithmetic with their results.
    """

    def __init__(self, generator, size, values):
        arrays = [np.asarray(value, np.float64) for value in values]
        self.size = size
        self.scalar = size is None
        self.plain = all(array.ndim == 0 for array in arrays)
        self.whole = self.part = [float(array) if array.ndim == 0 else array
                                  for array in arrays]
        if self.plain:
            return
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        if size is not None:
            size = tuple(np.atleast_1d(size))
            if np.broadcast_shapes(shape, size) != size:
                raise ValueError(f"Output size {size} is not compatible with "
                                 f"broadcast dimensions of inputs {shape}.")
            shape = size
        self.size, self.scalar = shape, False
        self.whole = [np.broadcast_to(array, shape) for array in arrays]
        begin = shape[0] * generator.rank // generator.size
        end = shape[0] * (generator.rank + 1) // generator.size
        self.part = [array[begin:end] for array in self.whole]

    def result(self, samples):
        return float(samples) if self.scalar else samples


def _check(failed, text):
    if np.any(failed):
        raise ValueError(text)


class Derived:
    """Mixed into Generator."""

    # ---- of the engine's distributions ----

    def f(self, dfnum, dfden, size=None):
        """Draw from an F distribution.

        Parameters
        ----------
        dfnum, dfden : float or array_like of floats
            Degrees of freedom of numerator and denominator, above 0.
        size : int or tuple of ints, optional
            Shape of the result.

        Examples
        --------
        >>> import trnsci
        >>> bool((trnsci.Generator(1).f(3, 5, size=4) > 0).all())
        True
        """
        ops = _Operands(self, size, (dfnum, dfden))
        _check(np.less_equal(ops.whole[0], 0), "dfnum <= 0")
        _check(np.less_equal(ops.whole[1], 0), "dfden <= 0")
        above = self.chisquare(ops.whole[0], ops.size)
        below = self.chisquare(ops.whole[1], ops.size)
        return ops.result((above * ops.part[1]) / (below * ops.part[0]))

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """Draw from a logistic distribution: the difference of two Gumbel
        numbers.

        Parameters
        ----------
        loc, scale : float or array_like of floats, optional
            Centre and scale of the distribution.
        size : int or tuple of ints, optional
            Shape of the result.

        Examples
        --------
        >>> import trnsci
        >>> trnsci.Generator(1).logistic(size=(2, 3)).shape
        (2, 3)
        """
        ops = _Operands(self, size, (loc, scale))
        _check(np.signbit(ops.whole[1]) & ~np.isnan(ops.whole[1]),
               "scale < 0")
        first = self.gumbel(size=ops.size)
        second = self.gumbel(size=ops.size)
        return ops.result(ops.part[0] + ops.part[1] * (first - second))

    def negative_binomial(self, n, p, size=None):
        """Draw failures before `n` successes: Poisson counts of a gamma
        number.

        Parameters
        ----------
        n, p : float or array_like of floats
            Successes, above 0, and their probability, above 0 to 1.
        size : int or tuple of ints, optional
            Shape of the result.

        Examples
        --------
        >>> import trnsci
        >>> trnsci.Generator(1).negative_binomial(3, 1.0, size=2)
        array([0, 0])
        """
        ops = _Operands(self, size, (n, p))
        n, p = ops.whole
        _check(~np.greater(n, 0), "n <= 0" if ops.plain else
               "n <= 0 or n contains NaNs")
        _check(~(np.greater(p, 0) & np.less_equal(p, 1)),
               "p <= 0, p > 1 or p contains NaNs")
        means = self.gamma(n, (1 - p) / p, ops.size)
        if self.size == 1 or ops.scalar:
            return self.poisson(means, None if ops.scalar else np.shape(means))
        return self._counts_of_part(means, ops)

    def _counts_of_part(self, means, ops):
        """Poisson counts of means that only this rank has."""
        shape = tuple(np.atleast_1d(ops.size))
        whole = np.ones(shape)
        begin = shape[0] * self.rank // self.size
        whole[begin:begin + len(means)] = means
        return self.poisson(whole)

    def noncentral_chisquare(self, df, nonc, size=None):
        """Draw from a noncentral chi-squared distribution: above one degree
        of freedom a chi-squared number and the square of a shifted normal
        one, otherwise a chi-squared number of random degrees of freedom.

        Parameters
        ----------
        df, nonc : float or array_like of floats
            Degrees of freedom, above 0, and non-centrality, 0 and up.
        size : int or tuple of ints, optional
            Shape of the result.

        Examples
        --------
        >>> import trnsci
        >>> trnsci.Generator(1).noncentral_chisquare(3, 2, size=4).min() > 0
        True
        """
        ops = _Operands(self, size, (df, nonc))
        df, nonc = ops.whole
        _check(np.less_equal(df, 0), "df <= 0")
        _check(np.signbit(nonc) & ~np.isnan(nonc), "nonc < 0")
        return ops.result(self._noncentral(ops, df, nonc, ops.part[0],
                                           ops.part[1]))

    def _noncentral(self, ops, df, nonc, part_df, part_nonc):
        """Each sample by the method for its own degrees of freedom."""
        many = np.greater(df, 1)
        if np.all(many):
            shifted = self.standard_normal(ops.size) + np.sqrt(part_nonc)
            return self.chisquare(df - 1, ops.size) + shifted * shifted
        whole = self._undivided()
        whole.position = self.position
        jumps = whole.poisson(np.nan_to_num(nonc) / 2, ops.size)
        self.position = whole.position
        shifted = self.standard_normal(ops.size) + np.sqrt(part_nonc)
        rest = self.chisquare(np.where(many, df - many, df + 2 * jumps),
                              ops.size)
        return rest + np.where(np.greater(part_df, 1), shifted * shifted, 0)

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        """Draw from a noncentral F distribution.

        Parameters
        ----------
        dfnum, dfden, nonc : float or array_like of floats
            Degrees of freedom, above 0, and non-centrality, 0 and up.
        size : int or tuple of ints, optional
            Shape of the result.

        Examples
        --------
        >>> import trnsci
        >>> trnsci.Generator(1).noncentral_f(3, 9, 1, size=4).min() > 0
        True
        """
        ops = _Operands(self, size, (dfnum, dfden, nonc))
        dfnum, dfden, nonc = ops.whole
        _check(np.less_equal(dfnum, 0), "dfnum <= 0")
        _check(np.less_equal(dfden, 0), "dfden <= 0")
        _check(np.signbit(nonc) & ~np.isnan(nonc), "nonc < 0")
        above = self._noncentral(ops, dfnum, nonc, ops.part[0], ops.part[2])
        below = self.chisquare(dfden, ops.size)
        return ops.result((above * ops.part[1]) / (below * ops.part[0]))

    def pareto(self, a, size=None):
        """Draw from a Pareto II (Lomax) distribution: an exponential number
        divided by a gamma number.

        Parameters
        ----------
        a : float or array_like of floats
            Shape of the distribution, above 0.
        size : int or tuple of ints, optional
            Shape of the result.

        Examples
        --------
        >>> import trnsci
        >>> bool((trnsci.Generator(1).pareto(3, size=4) >= 0).all())
        True
        """
        ops = _Operands(self, size, (a,))
        _check(np.less_equal(ops.whole[0], 0), "a <= 0")
        above = self.standard_exponential(ops.size)
        return ops.result(above / self.standard_gamma(ops.whole[0], ops.size))

    def power(self, a, size=None):
        """Draw from [0, 1] with a density of ``a x**(a - 1)``: from
        ``beta(a, 1)``.

        Parameters
        ----------
        a : float or array_like of floats
            Exponent, above 0.
        size : int or tuple of ints, optional
            Shape of the result.

        Examples
        --------
        >>> import trnsci
        >>> trnsci.Generator(1).power(2, size=3).max() <= 1
        True
        """
        ops = _Operands(self, size, (a,))
        _check(np.less_equal(ops.whole[0], 0), "a <= 0")
        return self.beta(ops.whole[0], 1.0, ops.size)

    def triangular(self, left, mode, right, size=None):
        """Draw from a triangular distribution over [left, right].

        Parameters
        ----------
        left, mode, right : float or array_like of floats
            Least value, peak and greatest value.
        size : int or tuple of ints, optional
            Shape of the result.

        Examples
        --------
        >>> import trnsci
        >>> x = trnsci.Generator(1).triangular(-1, 0, 2, size=100)
        >>> bool(x.min() >= -1 and x.max() <= 2)
        True
        """
        ops = _Operands(self, size, (left, mode, right))
        low, peak, high = ops.whole
        _check(np.greater(low, peak), "left > mode")
        _check(np.greater(peak, high), "mode > right")
        _check(np.equal(low, high), "left == right")
        u = np.asarray(self.random(ops.size))
        low, peak, high = (np.asarray(value) for value in ops.part)
        base = high - low
        rising = low + np.sqrt(u * (peak - low) * base)
        falling = high - np.sqrt((1.0 - u) * (high - peak) * base)
        return ops.result(np.where(u <= (peak - low) / base, rising, falling))

    def wald(self, mean, scale, size=None):
        """Draw from a Wald (inverse Gaussian) distribution.

        Parameters
        ----------
        mean, scale : float or array_like of floats
            Parameters of the distribution, above 0.
        size : int or tuple of ints, optional
            Shape of the result.

        Notes
        -----
        The method of J. R. Michael, W. R. Schucany, R. W. Haas, The American
        Statistician 30 (1976) 88.

        Examples
        --------
        >>> import trnsci
        >>> bool((trnsci.Generator(1).wald(3, 2, size=4) > 0).all())
        True
        """
        ops = _Operands(self, size, (mean, scale))
        _check(np.less_equal(ops.whole[0], 0), "mean <= 0")
        _check(np.less_equal(ops.whole[1], 0), "scale <= 0")
        z = np.asarray(self.standard_normal(ops.size))
        u = np.asarray(self.random(ops.size))
        mean, scale = (np.asarray(value) for value in ops.part)
        y = mean * z * z
        # The smaller root; this form does not cancel.
        x = 2.0 * mean * scale / (2.0 * scale + y
                                  + np.sqrt(4.0 * scale * y + y * y))
        return ops.result(np.where(u <= mean / (mean + x), x,
                                   mean * mean / x))

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn",
                            tol=1e-8, *, method="svd"):
        """Draw vectors from a multivariate normal distribution.

        Parameters
        ----------
        mean : 1-D array_like of n floats
            Mean of the distribution.
        cov : 2-D array_like, n by n
            Covariance, symmetric and positive semidefinite.
        size : int or tuple of ints, optional
            How many vectors; the result has one dimension of n more.
        check_valid : {'warn', 'raise', 'ignore'}, optional
            What is done when `cov` is not positive semidefinite.
        tol : float, optional
            Tolerance of that check.
        method : {'svd', 'eigh', 'cholesky'}, optional
            How `cov` is factored, by numpy.linalg.

        Examples
        --------
        >>> import trnsci
        >>> cov = [[2.0, 1.0], [1.0, 3.0]]
        >>> trnsci.Generator(1).multivariate_normal([0, 0], cov, 5).shape
        (5, 2)
        """
        if method not in {"eigh", "svd", "cholesky"}:
            raise ValueError("method must be one of {'eigh', 'svd', "
                             "'cholesky'}")
        mean, cov = np.array(mean), np.array(cov)
        if np.issubdtype(mean.dtype, np.complexfloating) or \
                np.issubdtype(cov.dtype, np.complexfloating):
            raise TypeError("mean and cov must not be complex")
        if mean.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if mean.shape[0] != cov.shape[0]:
            raise ValueError("mean and cov must have same length")
        factor = _factor(cov.astype(np.double), method, check_valid, tol)
        shape = () if size is None else tuple(np.atleast_1d(size))
        source = self if shape else self._undivided()
        samples = source.standard_normal(shape + mean.shape)
        self.position = source.position
        return mean + samples @ factor.T

    # ---- by numpy's algorithms ----

    def _by_numpy(self, name, *args, **kwargs):
        """Call a method of numpy's Generator over the words from `position`
        on. A part of a draw is cut from the whole."""
        own = self.__dict__.get("_numpy")
        if own is None or own[0].seed != self.seed:
            bits = BitGenerator(self.seed, stream=self.stream,
                                generator=self.generator)
            own = self._numpy = bits, np.random.Generator(bits)
        bits, generator = own
        begin = self.position
        bits._words.set(begin // 2, False, 0)
        samples = getattr(generator, name)(*args, **kwargs)
        self.advance(2 * bits._words.get()[0] - begin)
        if self.size == 1 or np.ndim(samples) == 0:
            return samples
        n = len(samples)
        return samples[n * self.rank // self.size:
                       n * (self.rank + 1) // self.size]

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        """Draw from a hypergeometric distribution, by numpy's algorithm.

        Parameters
        ----------
        ngood, nbad, nsample : int or array_like of ints
            Items of both kinds, and how many of them are taken.
        size : int or tuple of ints, optional
            Shape of the result.

        Examples
        --------
        >>> import trnsci
        >>> int(trnsci.Generator(1).hypergeometric(5, 0, 3))
        3
        """
        return self._by_numpy("hypergeometric", ngood, nbad, nsample, size)

    def logseries(self, p, size=None):
        """Draw from a logarithmic series distribution, by numpy's algorithm.

        Parameters
        ----------
        p : float or array_like of floats
            Parameter of the distribution, in [0, 1).
        size : int or tuple of ints, optional
            Shape of the result.
        """
        return self._by_numpy("logseries", p, size)

    def multinomial(self, n, pvals, size=None):
        """Draw counts of the outcomes of `n` trials, by numpy's algorithm.

        Parameters
        ----------
        n : int or array_like of ints
            How many trials.
        pvals : array_like of floats
            Probability of each outcome, along the last axis.
        size : int or tuple of ints, optional
            Shape of the result, without the axis of outcomes.

        Examples
        --------
        >>> import trnsci
        >>> int(trnsci.Generator(1).multinomial(20, [0.2, 0.3, 0.5]).sum())
        20
        """
        if size is None and np.ndim(n) == 0 and np.ndim(pvals) == 1:
            return self._by_numpy("multinomial", n, pvals, 1 if
                                  self.size == 1 else self.size)[0]
        return self._by_numpy("multinomial", n, pvals, size)

    def multivariate_hypergeometric(self, colors, nsample, size=None,
                                    method="marginals"):
        """Draw counts of the colours of items taken without replacement, by
        numpy's algorithms.

        Parameters
        ----------
        colors : 1-D array_like of ints
            Items of each colour.
        nsample : int
            How many are taken.
        size : int or tuple of ints, optional
            Shape of the result, without the axis of colours.
        method : {'marginals', 'count'}, optional
            Which of numpy's algorithms.
        """
        if size is None:
            return self._by_numpy("multivariate_hypergeometric", colors,
                                  nsample, self.size, method)[0]
        return self._by_numpy("multivariate_hypergeometric", colors, nsample,
                              size, method)

    def vonmises(self, mu, kappa, size=None):
        """Draw angles from a von Mises distribution, by numpy's algorithm.

        Parameters
        ----------
        mu, kappa : float or array_like of floats
            Mode and concentration, 0 and up.
        size : int or tuple of ints, optional
            Shape of the result.
        """
        return self._by_numpy("vonmises", mu, kappa, size)

    def zipf(self, a, size=None):
        """Draw from a Zipf distribution, by numpy's algorithm.

        Parameters
        ----------
        a : float or array_like of floats
            Exponent, above 1.
        size : int or tuple of ints, optional
            Shape of the result.
        """
        return self._by_numpy("zipf", a, size)


def _factor(cov, method, check_valid, tol):
    """A matrix whose product with its transpose is `cov`."""
    if method == "svd":
        u, s, vh = np.linalg.svd(cov)
    elif method == "eigh":
        s, u = np.linalg.eigh(cov)
    else:
        factor = np.linalg.cholesky(cov)
    if check_valid not in ("warn", "raise", "ignore"):
        if check_valid != "ignore":
            raise ValueError("check_valid must equal 'warn', 'raise', or "
                             "'ignore'")
    if check_valid != "ignore" and method != "cholesky":
        if method == "svd":
            valid = np.allclose(np.dot(vh.T * s, vh), cov, rtol=tol, atol=tol)
        else:
            valid = not np.any(s < -tol)
        if not valid and check_valid == "warn":
            warnings.warn("covariance is not symmetric positive-semidefinite.",
                          RuntimeWarning, stacklevel=3)
        elif not valid:
            raise ValueError("covariance is not symmetric "
                             "positive-semidefinite.")
    if method == "cholesky":
        return factor
    return u * np.sqrt(np.abs(s))
