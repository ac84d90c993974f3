package io.palinode.voldemort.conformance;

import java.util.List;

/**
 * What a client asks, in no protocol yet. Texts are bytes, one a char.
 *
 * @param route 0 normal, 1 routed, 2 without checks
 */
record Call(Op op, String store, List<String> keys, Clock clock, String value, int route) {
  enum Op {
    GET,
    GET_ALL,
    GET_VERSION,
    PUT,
    DELETE
  }

  Call(Op op, String store, String... keys) {
    this(op, store, List.of(keys), Clock.of(), "", 0);
  }

  String key() {
    return keys.get(0);
  }

  Call with(Clock newClock) {
    return new Call(op, store, keys, newClock, value, route);
  }

  Call with(String newValue) {
    return new Call(op, store, keys, clock, newValue, route);
  }

  Call routed(int newRoute) {
    return new Call(op, store, keys, clock, value, newRoute);
  }
}
