package io.palinode.monitor.flink;

import java.io.Serial;
import java.util.Objects;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** A type of which Flink knows nothing but its class and its {@link StableSerializer}. */
final class StableType<T> extends TypeInformation<T> {
  @Serial private static final long serialVersionUID = 1L;

  private final Class<T> type;
  private final StableSerializer<T> serializer;

  StableType(Class<T> type, StableSerializer<T> serializer) {
    this.type = type;
    this.serializer = serializer;
  }

  @Override
  public TypeSerializer<T> createSerializer(SerializerConfig config) {
    return serializer;
  }

  @Override
  public Class<T> getTypeClass() {
    return type;
  }

  @Override
  public boolean isBasicType() {
    return false;
  }

  @Override
  public boolean isTupleType() {
    return false;
  }

  @Override
  public boolean isKeyType() {
    return false;
  }

  @Override
  public int getArity() {
    return 1;
  }

  @Override
  public int getTotalFields() {
    return 1;
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof StableType;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StableType<?> that && type.equals(that.type);
  }

  @Override
  public int hashCode() {
    return Objects.hash(type);
  }

  @Override
  public String toString() {
    return type.getSimpleName();
  }
}
