package io.palinode.hazelcast.member;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.hazelcast.core.HazelcastJsonValue;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.SerializationService;
import com.hazelcast.internal.serialization.impl.HeapData;
import com.hazelcast.internal.serialization.impl.SerializationConstants;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/**
 * Keys and values of entries as predicates compare them: the text of strings, numbers, booleans,
 * UUIDs and JSON; of all others Hazelcast's bytes, in a key as hexadecimal digits after {@code 0x}.
 * Loads no class of a user. Thread-safe.
 */
final class EntryText {
  private static final String HEX = "0x";

  /** Hazelcast writes a string as a header, its length in bytes, and its UTF-8. */
  private static final int LENGTH_AT = Long.BYTES;

  private static final int STRING_AT = LENGTH_AT + Integer.BYTES;

  /** By Hazelcast's number of the type. */
  private static final Map<Integer, Function<String, Object>> PARSERS =
      Map.ofEntries(
          Map.entry(SerializationConstants.CONSTANT_TYPE_BYTE, Byte::valueOf),
          Map.entry(SerializationConstants.CONSTANT_TYPE_BOOLEAN, Boolean::valueOf),
          Map.entry(SerializationConstants.CONSTANT_TYPE_CHAR, text -> text.charAt(0)),
          Map.entry(SerializationConstants.CONSTANT_TYPE_SHORT, Short::valueOf),
          Map.entry(SerializationConstants.CONSTANT_TYPE_INTEGER, Integer::valueOf),
          Map.entry(SerializationConstants.CONSTANT_TYPE_LONG, Long::valueOf),
          Map.entry(SerializationConstants.CONSTANT_TYPE_FLOAT, Float::valueOf),
          Map.entry(SerializationConstants.CONSTANT_TYPE_DOUBLE, Double::valueOf),
          Map.entry(SerializationConstants.CONSTANT_TYPE_STRING, text -> text),
          Map.entry(SerializationConstants.CONSTANT_TYPE_UUID, UUID::fromString),
          Map.entry(SerializationConstants.JAVA_DEFAULT_TYPE_BIG_INTEGER, BigInteger::new),
          Map.entry(SerializationConstants.JAVA_DEFAULT_TYPE_BIG_DECIMAL, BigDecimal::new),
          Map.entry(
              SerializationConstants.JAVASCRIPT_JSON_SERIALIZATION_TYPE, HazelcastJsonValue::new));

  private static final Map<Class<?>, Integer> TYPES =
      Map.ofEntries(
          Map.entry(Byte.class, SerializationConstants.CONSTANT_TYPE_BYTE),
          Map.entry(Boolean.class, SerializationConstants.CONSTANT_TYPE_BOOLEAN),
          Map.entry(Character.class, SerializationConstants.CONSTANT_TYPE_CHAR),
          Map.entry(Short.class, SerializationConstants.CONSTANT_TYPE_SHORT),
          Map.entry(Integer.class, SerializationConstants.CONSTANT_TYPE_INTEGER),
          Map.entry(Long.class, SerializationConstants.CONSTANT_TYPE_LONG),
          Map.entry(Float.class, SerializationConstants.CONSTANT_TYPE_FLOAT),
          Map.entry(Double.class, SerializationConstants.CONSTANT_TYPE_DOUBLE),
          Map.entry(String.class, SerializationConstants.CONSTANT_TYPE_STRING),
          Map.entry(UUID.class, SerializationConstants.CONSTANT_TYPE_UUID),
          Map.entry(BigInteger.class, SerializationConstants.JAVA_DEFAULT_TYPE_BIG_INTEGER),
          Map.entry(BigDecimal.class, SerializationConstants.JAVA_DEFAULT_TYPE_BIG_DECIMAL),
          Map.entry(
              HazelcastJsonValue.class, SerializationConstants.JAVASCRIPT_JSON_SERIALIZATION_TYPE));

  private final SerializationService serialization;

  EntryText(SerializationService serialization) {
    this.serialization = serialization;
  }

  /** In UTF-8. */
  byte[] key(Data key) {
    return isText(key.getType())
        ? text(key)
        : (HEX + HexFormat.of().formatHex(key.toByteArray())).getBytes(UTF_8);
  }

  /** A string is copied: to look up its serializer takes a tenth of the agent's time. */
  private byte[] text(Data data) {
    byte[] bytes = data.toByteArray();
    return data.getType() == SerializationConstants.CONSTANT_TYPE_STRING
            && bytes.length >= STRING_AT
            && ByteBuffer.wrap(bytes).getInt(LENGTH_AT) == bytes.length - STRING_AT
        ? Arrays.copyOfRange(bytes, STRING_AT, bytes.length)
        : serialization.<Object>toObject(data).toString().getBytes(UTF_8);
  }

  /** What {@link #toKey} needs besides the text of a key. */
  static long header(Data key) {
    return ByteBuffer.wrap(key.toByteArray()).getLong();
  }

  /** The key with this text and header, byte by byte as it was. */
  Data toKey(String text, long header) {
    byte[] bytes =
        isText((int) header)
            ? serialization.<Data>toData(parse(text, (int) header)).toByteArray().clone()
            : HexFormat.of().parseHex(text.substring(HEX.length()));
    ByteBuffer unused = ByteBuffer.wrap(bytes).putLong(header);
    return new HeapData(bytes);
  }

  /**
   * The bytes of a value. Throws what the user's serializer throws.
   *
   * @param stored in the format of its map: Hazelcast's bytes, or the object
   */
  byte[] value(Object stored) {
    if (stored instanceof Data data) {
      return isText(data.getType()) ? text(data) : data.toByteArray();
    }
    return TYPES.containsKey(stored.getClass())
        ? stored.toString().getBytes(UTF_8)
        : serialization.<Data>toData(stored).toByteArray();
  }

  /** Hazelcast's number of the type, if {@link #value} is a text; any other number if not. */
  static int type(Object stored) {
    return stored instanceof Data data
        ? data.getType()
        : TYPES.getOrDefault(stored.getClass(), SerializationConstants.CONSTANT_TYPE_NULL);
  }

  /** The value with these bytes and of this type. */
  Data toValue(byte[] bytes, int type) {
    return isText(type)
        ? serialization.toData(parse(new String(bytes, UTF_8), type))
        : new HeapData(bytes);
  }

  private static boolean isText(int type) {
    return PARSERS.containsKey(type);
  }

  private static Object parse(String text, int type) {
    return Objects.requireNonNull(PARSERS.get(type)).apply(text);
  }
}
