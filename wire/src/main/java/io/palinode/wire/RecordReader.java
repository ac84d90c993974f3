package io.palinode.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.palinode.wire.RefusedRecords.Reason;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Hands over the records of one topic that are readable and plausible, and passes over all others.
 *
 * <p>{@link #read} is the one place where the content of a record can end in an exception and the
 * reader continues. A reader thus never ends because of a record. It relies on its listener to
 * change no state before it throws; state machines are pure, so they do not. These still end a
 * reader: an {@link Error}, {@link InterruptException}, {@link WakeupException}, and {@link
 * CancellationException}, by which a listener refuses all further records.
 */
public final class RecordReader<M> {
  private final Parser<M> parser;
  private final Check<M> check;
  private final int nodes;
  private final RefusedRecords refused;

  /** Throws {@link IllegalArgumentException} if a field is outside its bounds. */
  @FunctionalInterface
  public interface Check<M> {
    void require(M message, RecordBounds bounds);
  }

  /** {@code refused} counts what is passed over. */
  public RecordReader(Parser<M> parser, Check<M> check, int nodes, RefusedRecords refused) {
    this.parser = parser;
    this.check = check;
    this.nodes = nodes;
    this.refused = refused;
  }

  /** Hands the record to {@code listener}, or counts it as refused. */
  public void read(ConsumerRecord<byte[], byte[]> record, Consumer<M> listener) {
    M message;
    try {
      message = parsed(record);
      check.require(message, RecordBounds.of(record, nodes));
    } catch (EmptyException e) {
      refused.refuse(record, Reason.EMPTY, e);
      return;
    } catch (InvalidProtocolBufferException e) {
      refused.refuse(record, Reason.UNREADABLE, e);
      return;
    } catch (RuntimeException e) {
      refused.refuse(record, Reason.ABSURD, e);
      return;
    }
    try {
      listener.accept(message);
    } catch (InterruptException | WakeupException | CancellationException end) {
      throw end;
    } catch (RuntimeException e) {
      refused.refuse(record, Reason.FAILED, e);
    }
  }

  private M parsed(ConsumerRecord<byte[], byte[]> record) throws InvalidProtocolBufferException {
    byte[] value = record.value();
    if (value == null) {
      throw new EmptyException();
    }
    return parser.parseFrom(value);
  }

  private static final class EmptyException extends RuntimeException {
    @java.io.Serial private static final long serialVersionUID = 1L;

    EmptyException() {
      super("a record must have a value: null", null, false, false);
    }
  }
}
