package io.palinode.simulation;

import java.util.ArrayList;
import java.util.List;

/** A partition of a topic: an ordered log that wakes its readers at each record. */
final class SharedLog<T> {
  private final List<T> records = new ArrayList<>();
  private final List<Tail<T>> tails = new ArrayList<>();

  void append(T record) {
    records.add(record);
    tails.forEach(Tail::wake);
  }

  T get(int position) {
    return records.get(position);
  }

  int size() {
    return records.size();
  }

  List<T> records() {
    return records;
  }

  void follow(Tail<T> tail) {
    tails.add(tail);
    tail.wake();
  }

  void leave(Tail<T> tail) {
    tails.remove(tail);
  }
}
