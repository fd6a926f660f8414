// SPDX-License-Identifier: Apache-2.0
//
// Maps and sets of few elements in one sorted array, with the interface of std::map and std::set:
// one allocation, where the others have one for each element. The shape is that of C++23's
// std::flat_map and std::flat_set, which g++ 12 lacks. An insertion takes time linear in the size,
// and ends references and iterators. Depends on nothing.
#ifndef TESSERA_BASE_FLAT_MAP_H_
#define TESSERA_BASE_FLAT_MAP_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/check.h"

namespace tessera {

template <typename K, typename V>
class FlatMap {
 public:
  using value_type = std::pair<K, V>;
  using iterator = typename std::vector<value_type>::iterator;
  using const_iterator = typename std::vector<value_type>::const_iterator;

  FlatMap() = default;
  FlatMap(std::initializer_list<value_type> all) {
    for (const value_type& each : all) emplace(each.first, each.second);
  }

  iterator begin() { return all_.begin(); }
  iterator end() { return all_.end(); }
  const_iterator begin() const { return all_.begin(); }
  const_iterator end() const { return all_.end(); }
  size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  void clear() { all_.clear(); }
  void reserve(size_t elements) { all_.reserve(elements); }

  iterator find(const K& key) {
    const iterator at = Place(key);
    return at != end() && at->first == key ? at : end();
  }
  const_iterator find(const K& key) const { return const_cast<FlatMap*>(this)->find(key); }
  bool contains(const K& key) const { return find(key) != end(); }
  const V& at(const K& key) const {
    const const_iterator found = find(key);
    TESSERA_CHECK(found != end());
    return found->second;
  }
  V& operator[](const K& key) { return emplace(key, V()).first->second; }
  // Inserts unless there is an element with that key.
  std::pair<iterator, bool> emplace(const K& key, V value) {
    const iterator at = Place(key);
    if (at != end() && at->first == key) return {at, false};
    return {all_.insert(at, {key, std::move(value)}), true};
  }
  void erase(const K& key) {
    if (const iterator at = find(key); at != end()) all_.erase(at);
  }

 private:
  iterator Place(const K& key) {
    return std::ranges::lower_bound(all_, key, std::less<K>(), &value_type::first);
  }

  std::vector<value_type> all_;
};

template <typename K>
class FlatSet {
 public:
  using const_iterator = typename std::vector<K>::const_iterator;

  FlatSet() = default;
  FlatSet(std::initializer_list<K> all) { insert(all.begin(), all.end()); }

  const_iterator begin() const { return all_.begin(); }
  const_iterator end() const { return all_.end(); }
  size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  bool contains(const K& key) const {
    return std::ranges::binary_search(all_, key, std::less<K>());
  }
  void insert(const K& key) {
    const auto at = std::ranges::lower_bound(all_, key, std::less<K>());
    if (at == all_.end() || *at != key) all_.insert(at, key);
  }
  template <typename Iterator>
  void insert(Iterator from, Iterator to) {
    for (; from != to; ++from) insert(*from);
  }
  bool operator==(const FlatSet&) const = default;

 private:
  std::vector<K> all_;
};

}  // namespace tessera

#endif  // TESSERA_BASE_FLAT_MAP_H_
