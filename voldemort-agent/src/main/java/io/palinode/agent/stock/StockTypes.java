package io.palinode.agent.stock;

import io.palinode.voldemort.protocol.VectorClock;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates and reads values of Voldemort's classes, by reflection. An exception of a called method
 * is thrown on. Thread-safe.
 */
public final class StockTypes {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();

  private final ClassLoader loader;
  private final MethodHandle newKey;
  private final MethodHandle keyBytes;
  private final MethodHandle newClock;
  private final MethodHandle clockBytes;
  private final MethodHandle newVersioned;
  private final MethodHandle value;
  private final MethodHandle version;
  private final MethodHandle encode;
  private final MethodHandle decode;
  private final MethodHandle unreachable;
  private final MethodHandle obsolete;
  private final MethodHandle failure;
  private final MethodHandle storeName;

  /** Throws {@link IllegalStateException} if a class or a method is missing. */
  public StockTypes(ClassLoader loader) {
    this.loader = loader;
    Class<?> key = type("voldemort.utils.ByteArray");
    Class<?> clock = type("voldemort.versioning.VectorClock");
    Class<?> versionType = type("voldemort.versioning.Version");
    Class<?> versioned = type("voldemort.versioning.Versioned");
    Class<?> format = type("voldemort.store.StoreBinaryFormat");
    newKey = constructor(key, byte[].class);
    keyBytes = method(key, "get", byte[].class);
    newClock = constructor(clock, byte[].class);
    clockBytes = method(clock, "toBytes", byte[].class);
    newVersioned = constructor(versioned, Object.class, versionType);
    value = method(versioned, "getValue", Object.class);
    version = method(versioned, "getVersion", versionType);
    encode = function(format, "toByteArray", byte[].class, List.class);
    decode = function(format, "fromByteArray", List.class, byte[].class);
    unreachable = constructor(type("voldemort.store.UnreachableStoreException"), String.class);
    obsolete = constructor(type("voldemort.versioning.ObsoleteVersionException"), String.class);
    failure = constructor(type("voldemort.VoldemortException"), String.class);
    storeName = method(type("voldemort.store.Store"), "getName", String.class);
  }

  public Class<?> type(String name) {
    try {
      return Class.forName(name, false, loader);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("the server has no class " + name, e);
    }
  }

  public ClassLoader loader() {
    return loader;
  }

  public String nameOf(Object store) {
    return (String) call(storeName, store);
  }

  /** An instance method, typed with objects. */
  public MethodHandle method(Class<?> type, String name, Class<?> result, Class<?>... parameters) {
    try {
      return generic(LOOKUP.findVirtual(type, name, MethodType.methodType(result, parameters)));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the server has no method %s.%s".formatted(type, name), e);
    }
  }

  MethodHandle function(Class<?> type, String name, Class<?> result, Class<?>... parameters) {
    try {
      return generic(LOOKUP.findStatic(type, name, MethodType.methodType(result, parameters)));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the server has no function %s.%s".formatted(type, name), e);
    }
  }

  MethodHandle constructor(Class<?> type, Class<?>... parameters) {
    try {
      return generic(LOOKUP.findConstructor(type, MethodType.methodType(void.class, parameters)));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the server has no constructor of " + type, e);
    }
  }

  private static MethodHandle generic(MethodHandle handle) {
    return handle.asFixedArity().asType(handle.type().generic());
  }

  /** The value of a field of {@code owner} or its superclasses. */
  public static Object field(Object owner, String name) {
    for (Class<?> type = owner.getClass(); type != null; type = type.getSuperclass()) {
      try {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
      } catch (NoSuchFieldException furtherUp) {
        // A superclass may have it.
      } catch (IllegalAccessException e) {
        throw new IllegalStateException("the server's field " + name + " cannot be read", e);
      }
    }
    throw new IllegalStateException("the server has no field %s.%s".formatted(owner, name));
  }

  // invokeExact takes nanoseconds; a call with any arguments takes microseconds.

  public static Object call(MethodHandle handle) {
    try {
      return (Object) handle.invokeExact();
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public static Object call(MethodHandle handle, @Nullable Object only) {
    try {
      return (Object) handle.invokeExact(only);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public static Object call(MethodHandle handle, @Nullable Object first, @Nullable Object second) {
    try {
      return (Object) handle.invokeExact(first, second);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  public static Object call(
      MethodHandle handle,
      @Nullable Object first,
      @Nullable Object second,
      @Nullable Object third) {
    try {
      return (Object) handle.invokeExact(first, second, third);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** The exception of the server's method, to throw; wrapped if checked. */
  private static RuntimeException unchecked(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    return thrown instanceof RuntimeException same ? same : new IllegalStateException(thrown);
  }

  Object key(byte[] bytes) {
    return call(newKey, (Object) bytes);
  }

  byte[] bytes(Object key) {
    return (byte[]) call(keyBytes, key);
  }

  /** The vector clock of a version; all versions are vector clocks. */
  public VectorClock clock(Object stockVersion) {
    return VectorClock.decode((byte[]) call(clockBytes, stockVersion));
  }

  Object versioned(byte[] bytes, VectorClock clock) {
    return call(newVersioned, bytes, call(newClock, (Object) clock.encode()));
  }

  byte[] valueOf(Object versioned) {
    return (byte[]) call(value, versioned);
  }

  VectorClock clockOf(Object versioned) {
    return clock(call(version, versioned));
  }

  /** The server's record of some versions; null for none. */
  byte @Nullable [] record(@Nullable List<?> versions) {
    return versions == null || versions.isEmpty() ? null : (byte[]) call(encode, versions);
  }

  /** The versions in a record of the server. */
  List<?> versions(byte[] record) {
    return (List<?>) call(decode, (Object) record);
  }

  /** The exception that clients read as an unreachable server. */
  public RuntimeException unreachable(String message) {
    return (RuntimeException) call(unreachable, message);
  }

  /** The exception that clients read as an obsolete write. */
  public RuntimeException obsolete(String message) {
    return (RuntimeException) call(obsolete, message);
  }

  public RuntimeException failure(String message) {
    return (RuntimeException) call(failure, message);
  }
}
