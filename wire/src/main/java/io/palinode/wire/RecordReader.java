package io.palinode.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.palinode.wire.RefusedRecords.Reason;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

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
  private final Origin<M> origin;
  private final int nodes;
  private final RefusedRecords refused;

  /** Throws {@link IllegalArgumentException} if a field is outside its bounds. */
  @FunctionalInterface
  public interface Check<M> {
    void require(M message, RecordBounds bounds);
  }

  /** Throws {@link IllegalArgumentException} if the record is not of a writer that may write it. */
  @FunctionalInterface
  public interface Origin<M> {
    void require(ConsumerRecord<byte[], byte[]> inKafka, M message);
  }

  /** {@code refused} counts what is passed over. Any writer may write each record. */
  public RecordReader(Parser<M> parser, Check<M> check, int nodes, RefusedRecords refused) {
    this(parser, check, (inKafka, message) -> {}, nodes, refused);
  }

  /** {@code refused} counts what is passed over. */
  public RecordReader(
      Parser<M> parser, Check<M> check, Origin<M> origin, int nodes, RefusedRecords refused) {
    this.parser = parser;
    this.check = check;
    this.origin = origin;
    this.nodes = nodes;
    this.refused = refused;
  }

  /** Hands the record to {@code listener}, or counts it as refused. */
  public void read(ConsumerRecord<byte[], byte[]> record, Consumer<M> listener) {
    M message = checked(record);
    if (message == null) {
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

  /** Counts a record that Kafka's consumer could not read as refused. */
  public void refuseUnreadable(TopicPartition partition, long offset, KafkaException why) {
    refused.refuse(partition, offset, Reason.UNREADABLE, why);
  }

  /** The record's message; null if the record was counted as refused. */
  public @Nullable M checked(ConsumerRecord<byte[], byte[]> record) {
    try {
      M message = parsed(record);
      if (!isOfItsWriter(record, message)) {
        return null;
      }
      check.require(message, RecordBounds.of(record, nodes));
      return message;
    } catch (EmptyException e) {
      refused.refuse(record, Reason.EMPTY, e);
    } catch (InvalidProtocolBufferException e) {
      refused.refuse(record, Reason.UNREADABLE, e);
    } catch (RuntimeException e) {
      refused.refuse(record, Reason.ABSURD, e);
    }
    return null;
  }

  private boolean isOfItsWriter(ConsumerRecord<byte[], byte[]> record, M message) {
    try {
      origin.require(record, message);
      return true;
    } catch (IllegalArgumentException e) {
      refused.refuse(record, Reason.UNSIGNED, e);
      return false;
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
