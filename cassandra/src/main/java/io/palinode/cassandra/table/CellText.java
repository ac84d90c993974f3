package io.palinode.cassandra.table;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.AsciiType;
import org.apache.cassandra.db.marshal.BytesType;
import org.apache.cassandra.db.marshal.TimestampType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.transport.ProtocolVersion;
import org.apache.cassandra.utils.ByteBufferUtil;

/**
 * The bytes of a value that a predicate compares: the text of numbers, booleans and UUIDs, the
 * milliseconds of a timestamp, the bytes of a blob, the JSON of a frozen collection.
 */
final class CellText {
  private CellText() {}

  static byte[] bytes(AbstractType<?> declared, ByteBuffer value) {
    AbstractType<?> type = declared.unwrap();
    if (type instanceof BytesType || type instanceof UTF8Type || type instanceof AsciiType) {
      return ByteBufferUtil.getArray(value);
    }
    return text(type, value).getBytes(StandardCharsets.UTF_8);
  }

  private static String text(AbstractType<?> type, ByteBuffer value) {
    return type.isCollection() || type.isUDT() || type.isTuple()
        ? type.toJSONString(value, ProtocolVersion.CURRENT)
        : part(type, value);
  }

  /** The text of a part of a primary key; {@link AbstractType#fromString} reads it. */
  static String part(AbstractType<?> declared, ByteBuffer value) {
    AbstractType<?> type = declared.unwrap();
    return type instanceof TimestampType && value.remaining() == Long.BYTES
        ? Long.toString(value.getLong(value.position()))
        : type.getString(value);
  }
}
