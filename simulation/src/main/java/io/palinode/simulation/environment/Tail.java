package io.palinode.simulation.environment;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One reader of a log, as far as it has come. It polls some time after news came, and takes what is
 * there then, record by record, as long as its reader is ready for more.
 */
public final class Tail<T> {
  private final SharedLog<T> log;
  private final Network network;
  private final int reader;
  private final BooleanSupplier ready;
  private final Consumer<T> listener;
  private int position;
  private boolean polling;
  private boolean closed;

  Tail(SharedLog<T> log, int reader, int position, BooleanSupplier ready, Consumer<T> listener) {
    this.log = log;
    this.network = log.network();
    this.reader = reader;
    this.position = position;
    this.ready = ready;
    this.listener = listener;
  }

  public int position() {
    return position;
  }

  public void wake() {
    if (!polling && !closed && position < log.size() && ready.getAsBoolean()) {
      polling = true;
      network.time().in(network.latencyMicros(log.place(), reader), this::poll);
    }
  }

  public void close() {
    closed = true;
    log.leave(this);
  }

  private void poll() {
    polling = false;
    if (closed) {
      return;
    }
    if (network.isCut(log.place(), reader)) {
      polling = true;
      network.time().in(Network.RETRY_MICROS, this::poll);
      return;
    }
    int end = log.size();
    while (!closed && position < end && ready.getAsBoolean()) {
      listener.accept(log.get(position++));
    }
    wake();
  }
}
