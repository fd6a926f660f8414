// SPDX-License-Identifier: Apache-2.0
//
// The library of fmt for a board's processor: what fmt/format.h declares and leaves to a library.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl<char>(locale_ref);
template dragonbox::decimal_fp<float> dragonbox::to_decimal<float>(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal<double>(double) noexcept;
}  // namespace detail
FMT_END_NAMESPACE
