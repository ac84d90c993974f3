package io.palinode.simulation.environment;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A partition of a topic: an ordered log that wakes its readers at each record. */
public final class SharedLog<T> {
  private final Network network;
  private final int place;
  private final List<T> records = new ArrayList<>();
  private final List<Tail<T>> tails = new ArrayList<>();

  /**
   * @param place of its broker in the network
   */
  public SharedLog(Network network, int place) {
    this.network = network;
    this.place = place;
  }

  public void append(T record) {
    records.add(record);
    tails.forEach(Tail::wake);
  }

  /** Readers see the record when they see the one after it. */
  public void appendUnseen(T record) {
    records.add(record);
  }

  public T get(int position) {
    return records.get(position);
  }

  public int size() {
    return records.size();
  }

  public List<T> records() {
    return records;
  }

  /**
   * A reader of the records from {@code position} on; it reads nothing before {@link #follow}.
   *
   * @param reader its place in the network
   * @param ready false while the reader works on a record; the reader then calls {@link Tail#wake}
   */
  public Tail<T> tail(int reader, int position, BooleanSupplier ready, Consumer<T> listener) {
    return new Tail<>(this, reader, position, ready, listener);
  }

  Network network() {
    return network;
  }

  int place() {
    return place;
  }

  public void follow(Tail<T> tail) {
    tails.add(tail);
    tail.wake();
  }

  void leave(Tail<T> tail) {
    tails.remove(tail);
  }
}
