package io.palinode.simulation;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One reader of a log, as far as it has come. It polls some time after news came, and takes what is
 * there then, record by record, as long as its reader is ready for more.
 */
final class Tail<T> {
  private final World world;
  private final SharedLog<T> log;
  private final int reader;
  private final BooleanSupplier ready;
  private final Consumer<T> listener;
  private int position;
  private boolean polling;
  private boolean closed;

  /**
   * @param reader its place in the network
   * @param ready false while the reader works on a record; the reader then calls {@link #wake}
   */
  Tail(
      World world,
      SharedLog<T> log,
      int reader,
      int position,
      BooleanSupplier ready,
      Consumer<T> listener) {
    this.world = world;
    this.log = log;
    this.reader = reader;
    this.position = position;
    this.ready = ready;
    this.listener = listener;
  }

  int position() {
    return position;
  }

  void wake() {
    if (!polling && !closed && position < log.size() && ready.getAsBoolean()) {
      polling = true;
      world.time().in(world.network().latencyMicros(world.kafka(), reader), this::poll);
    }
  }

  void close() {
    closed = true;
    log.leave(this);
  }

  private void poll() {
    polling = false;
    if (closed) {
      return;
    }
    if (world.network().isCut(world.kafka(), reader)) {
      polling = true;
      world.time().in(Network.RETRY_MICROS, this::poll);
      return;
    }
    int end = log.size();
    while (!closed && position < end && ready.getAsBoolean()) {
      listener.accept(log.get(position++));
    }
    wake();
  }
}
