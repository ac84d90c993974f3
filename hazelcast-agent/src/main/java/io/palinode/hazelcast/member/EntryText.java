package io.palinode.hazelcast.member;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.hazelcast.core.HazelcastJsonValue;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.SerializationService;
import com.hazelcast.internal.serialization.impl.SerializationConstants;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HexFormat;
import java.util.Set;
import java.util.UUID;

/**
 * Keys and values of entries as predicates compare them: the text of strings, numbers, booleans,
 * UUIDs and JSON; of all others Hazelcast's bytes, in a key as hexadecimal digits after {@code 0x}.
 * Loads no class of a user. Thread-safe.
 */
final class EntryText {
  private static final Set<Integer> TEXTS =
      Set.of(
          SerializationConstants.CONSTANT_TYPE_BYTE,
          SerializationConstants.CONSTANT_TYPE_BOOLEAN,
          SerializationConstants.CONSTANT_TYPE_CHAR,
          SerializationConstants.CONSTANT_TYPE_SHORT,
          SerializationConstants.CONSTANT_TYPE_INTEGER,
          SerializationConstants.CONSTANT_TYPE_LONG,
          SerializationConstants.CONSTANT_TYPE_FLOAT,
          SerializationConstants.CONSTANT_TYPE_DOUBLE,
          SerializationConstants.CONSTANT_TYPE_STRING,
          SerializationConstants.CONSTANT_TYPE_UUID,
          SerializationConstants.JAVA_DEFAULT_TYPE_BIG_INTEGER,
          SerializationConstants.JAVA_DEFAULT_TYPE_BIG_DECIMAL,
          SerializationConstants.JAVASCRIPT_JSON_SERIALIZATION_TYPE);

  /** Of these types. */
  private static final Set<Class<?>> TEXT_CLASSES =
      Set.of(
          Byte.class,
          Boolean.class,
          Character.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          String.class,
          UUID.class,
          BigInteger.class,
          BigDecimal.class,
          HazelcastJsonValue.class);

  private final SerializationService serialization;

  EntryText(SerializationService serialization) {
    this.serialization = serialization;
  }

  String key(Data key) {
    return isText(key)
        ? serialization.<Object>toObject(key).toString()
        : "0x" + HexFormat.of().formatHex(key.toByteArray());
  }

  /**
   * The bytes of a value. Throws what the user's serializer throws.
   *
   * @param stored in the format of its map: Hazelcast's bytes, or the object
   */
  byte[] value(Object stored) {
    if (stored instanceof Data data) {
      return isText(data)
          ? serialization.<Object>toObject(data).toString().getBytes(UTF_8)
          : data.toByteArray();
    }
    return isText(stored)
        ? stored.toString().getBytes(UTF_8)
        : serialization.<Data>toData(stored).toByteArray();
  }

  private static boolean isText(Data data) {
    return TEXTS.contains(data.getType());
  }

  private static boolean isText(Object value) {
    return TEXT_CLASSES.contains(value.getClass());
  }
}
