package io.palinode.voldemort.client.link;

import io.netty.buffer.ByteBuf;
import io.palinode.voldemort.protocol.Pb0;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** One request under way to one node, and the answer to come. */
final class Exchange<T> {
  final Pb0.VoldemortRequest message;
  final long epoch;
  final long startedNanos;
  final boolean probe;
  final CompletableFuture<T> result = new CompletableFuture<>();

  /** Since when the node may answer. Of the event thread; not set before it is written. */
  long writtenNanos;

  private final Answer.Reader<T> reader;

  Exchange(Ask<T> ask, Pb0.VoldemortRequest message, long epoch, long startedNanos) {
    this.message = message;
    this.epoch = epoch;
    this.startedNanos = startedNanos;
    this.probe = ask.probe();
    this.reader = ask.reader();
  }

  /** Throws as {@link Answer.Reader#read} does. */
  Answer<T> read(ByteBuf frame) throws IOException {
    return reader.read(frame);
  }

  boolean isDone() {
    return result.isDone();
  }

  void fail(RuntimeException failure) {
    result.completeExceptionally(failure);
  }
}
