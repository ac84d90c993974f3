package io.palinode.cli;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.PredicateRecord;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Values of records that no part of Palinode writes: none, random bytes, cut records, messages of a
 * topic's type whose fields have extreme values, and now and then nearly a megabyte.
 *
 * <p>A message that could be a step which its writer has a right to is no poison but a forgery: a
 * plan of the next epoch, a request for approval, the next version of a predicate, a gap of a node,
 * a start of a node. Only the writer's identity distinguishes the two, so such messages get a field
 * that is absurd.
 */
final class Poison {
  private static final long[] NUMBERS = {
    0, 1, 2, 3, -1, 1L << 31, 1L << 32, 1L << 53, Long.MAX_VALUE - 1, Long.MAX_VALUE, Long.MIN_VALUE
  };
  private static final int DEPTH_MAX = 4;
  private static final int BYTES_MAX = 200;

  /** Near the most that a broker takes by default; sent rarely. */
  private static final int GREAT_BYTES = 900_000;

  private static final int GREAT_ONE_IN = 200;

  private final Random random;
  private final List<String> texts;

  /** {@code texts} are among the values of text fields. */
  Poison(Random random, List<String> texts) {
    this.random = random;
    this.texts = texts;
  }

  byte @Nullable [] of(Message type) {
    if (random.nextInt(GREAT_ONE_IN) == 0) {
      return great(type);
    }
    return switch (random.nextInt(5)) {
      case 0 -> null;
      case 1 -> bytes();
      case 2 -> {
        byte[] whole = message(type).toByteArray();
        yield Arrays.copyOf(whole, random.nextInt(whole.length + 1));
      }
      default -> message(type).toByteArray();
    };
  }

  /** Of a record; null: now. Kafka refuses one of a later year. */
  @Nullable Long timestampMs() {
    return switch (random.nextInt(4)) {
      case 0 -> 0L;
      case 1 -> random.nextLong(System.currentTimeMillis());
      default -> null;
    };
  }

  /** A message of the topic, or only bytes, with a long end. */
  private byte[] great(Message type) {
    byte[] start = random.nextBoolean() ? message(type).toByteArray() : bytes();
    byte[] great = new byte[GREAT_BYTES];
    random.nextBytes(great);
    System.arraycopy(start, 0, great, 0, Math.min(start.length, great.length));
    return great;
  }

  private Message message(Message type) {
    Message filled = filled(type.newBuilderForType(), 0);
    if (filled instanceof ControlRecord step && (step.hasPlanOpened() || step.hasGate())) {
      return step.toBuilder().setEpoch(Long.MAX_VALUE).build();
    }
    if (filled instanceof ControlRecord step && step.hasNodeJoined()) {
      return step.toBuilder()
          .setNodeJoined(step.getNodeJoined().toBuilder().setIncarnation(Long.MAX_VALUE))
          .build();
    }
    if (filled instanceof PredicateRecord predicate) {
      return predicate.toBuilder().setVersion(Long.MAX_VALUE).build();
    }
    if (filled instanceof CandidateRecord candidate && candidate.hasGap()) {
      return candidate.toBuilder().setIncarnation(Long.MAX_VALUE).build();
    }
    return filled;
  }

  private Message filled(Message.Builder builder, int depth) {
    for (var oneof : builder.getDescriptorForType().getRealOneofs()) {
      set(builder, oneof.getField(random.nextInt(oneof.getFieldCount())), depth);
    }
    for (FieldDescriptor field : builder.getDescriptorForType().getFields()) {
      if (field.getRealContainingOneof() == null && random.nextInt(4) > 0) {
        set(builder, field, depth);
      }
    }
    return builder.build();
  }

  private void set(Message.Builder builder, FieldDescriptor field, int depth) {
    boolean isDeep = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && depth >= DEPTH_MAX;
    if (isDeep) {
      return;
    }
    if (!field.isRepeated()) {
      builder.setField(field, value(builder, field, depth));
      return;
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      builder.addRepeatedField(field, value(builder, field, depth));
    }
  }

  private Object value(Message.Builder builder, FieldDescriptor field, int depth) {
    long number = NUMBERS[random.nextInt(NUMBERS.length)];
    return switch (field.getJavaType()) {
      case INT -> (int) number;
      case LONG -> number;
      case BOOLEAN -> random.nextBoolean();
      case FLOAT -> (float) number;
      case DOUBLE -> (double) number;
      case STRING -> texts.get(random.nextInt(texts.size()));
      case BYTE_STRING -> ByteString.copyFrom(bytes());
      case ENUM -> {
        List<EnumValueDescriptor> values = field.getEnumType().getValues();
        yield values.get(random.nextInt(values.size()));
      }
      case MESSAGE -> filled(builder.newBuilderForField(field), depth + 1);
    };
  }

  private byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(BYTES_MAX)];
    random.nextBytes(bytes);
    return bytes;
  }
}
