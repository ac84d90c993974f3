package io.palinode.agent.weave;

import io.palinode.agent.advice.client.RepairsFound;
import io.palinode.agent.advice.client.RequestCompleted;
import io.palinode.agent.advice.client.RequestFormatted;
import io.palinode.agent.advice.client.RequestMade;
import io.palinode.agent.advice.client.RequestNotSent;
import io.palinode.agent.advice.client.ResponseParsed;
import io.palinode.agent.advice.client.RoutedOperation;
import io.palinode.agent.advice.engine.BdbDelete;
import io.palinode.agent.advice.engine.BdbLock;
import io.palinode.agent.advice.engine.BdbPut;
import io.palinode.agent.advice.engine.BdbPutAndUnlock;
import io.palinode.agent.advice.engine.BdbRelease;
import io.palinode.agent.advice.engine.BdbTruncate;
import io.palinode.agent.advice.engine.DecodeRecord;
import io.palinode.agent.advice.engine.EncodeRecord;
import io.palinode.agent.advice.engine.Get;
import io.palinode.agent.advice.engine.MemoryClear;
import io.palinode.agent.advice.engine.MemoryDelete;
import io.palinode.agent.advice.engine.MemoryPut;
import io.palinode.agent.advice.engine.StorageStarted;
import io.palinode.agent.advice.engine.StorageStopping;
import io.palinode.agent.advice.engine.StoreRemoved;
import io.palinode.agent.advice.hint.HintQueuesMade;
import io.palinode.agent.advice.hint.HintRead;
import io.palinode.agent.advice.hint.HintToPush;
import io.palinode.agent.advice.hint.HintsPushed;
import io.palinode.agent.advice.message.EndRequest;
import io.palinode.agent.advice.message.ReadMessage;
import io.palinode.agent.advice.message.WriteMessage;
import io.palinode.agent.boot.Ride;
import io.palinode.agent.boot.Rider;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.pool.TypePool;

/**
 * Weaves calls of {@link io.palinode.agent.boot.Hooks} into methods of Voldemort, found by name.
 * Weaves base classes only: a woven subclass that calls its parent would count twice. Pure.
 */
public final class Weaver {
  private static final String BDB = "voldemort.store.bdb.BdbStorageEngine";
  private static final String MEMORY = "voldemort.store.memory.InMemoryStorageEngine";
  private static final String FORMAT = "voldemort.store.StoreBinaryFormat";
  private static final String PROTO = "voldemort.client.protocol.pb.ProtoUtils";
  private static final String REQUESTS = "voldemort.server.protocol.pb.ProtoBuffRequestHandler";
  private static final String PUSHER = "voldemort.server.scheduler.slop.StreamingSlopPusherJob";
  private static final String ONE_BY_ONE_PUSHER =
      "voldemort.server.scheduler.slop.BlockingSlopPusherJob";
  private static final String ENTRIES =
      "voldemort.store.serialized.SerializingStorageEngine$EntriesIterator";
  private static final String HINT =
      "voldemort.client.protocol.pb.VAdminProto$UpdateSlopEntriesRequest";
  private static final String HINTS_TAKEN =
      "voldemort.server.protocol.admin.UpdateSlopEntriesRequestHandler";
  private static final String STORAGE = "voldemort.server.storage.StorageService";

  private static final String ROUTED = "voldemort.store.routed.PipelineRoutedStore";
  private static final String REPAIRER = "voldemort.store.routed.ReadRepairer";
  private static final String REQUEST =
      "voldemort.store.socket.clientrequest.AbstractClientRequest";
  private static final String AWAITED =
      "voldemort.store.socket.clientrequest.NonblockingStoreCallbackClientRequest";
  private static final String QUEUED =
      "voldemort.store.socket.clientrequest.ClientRequestExecutorPool$AsyncSocketDestinationRequest";

  private static final String KEY = "voldemort.utils.ByteArray";
  private static final String VERSIONED = "voldemort.versioning.Versioned";
  private static final String VERSION = "voldemort.versioning.Version";
  private static final String HANDLE = "voldemort.server.storage.KeyLockHandle";
  private static final String BYTES = "byte[]";
  private static final int FIELD = Modifier.PRIVATE | Modifier.TRANSIENT | Modifier.VOLATILE;
  private static final String ANY = "java.lang.Object";

  private static final Hook READ_MESSAGE =
      new Hook(
          PROTO,
          "readToBuilder",
          List.of("java.io.DataInputStream", "com.google.protobuf.Message$Builder"),
          ReadMessage.class);

  private static final Hook WRITE_MESSAGE =
      new Hook(
          PROTO,
          "writeMessage",
          List.of("java.io.DataOutputStream", "com.google.protobuf.Message"),
          WriteMessage.class);

  private static final List<Hook> SERVER =
      List.of(
          new Hook(BDB, "get", List.of(KEY, BYTES), Get.class),
          new Hook(BDB, "put", List.of(KEY, VERSIONED, BYTES), BdbPut.class),
          new Hook(BDB, "delete", List.of(KEY, VERSION), BdbDelete.class),
          new Hook(BDB, "getAndLock", List.of(KEY), BdbLock.class),
          new Hook(BDB, "putAndUnlock", List.of(KEY, HANDLE), BdbPutAndUnlock.class),
          new Hook(BDB, "releaseLock", List.of(HANDLE), BdbRelease.class),
          new Hook(BDB, "truncate", List.of(), BdbTruncate.class),
          new Hook(MEMORY, "get", List.of(ANY, ANY), Get.class),
          new Hook(MEMORY, "put", List.of(ANY, VERSIONED, ANY), MemoryPut.class),
          new Hook(MEMORY, "multiVersionPut", List.of(ANY, "java.util.List"), MemoryPut.class),
          new Hook(MEMORY, "delete", List.of(ANY, VERSION), MemoryDelete.class),
          new Hook(MEMORY, "truncate", List.of(), MemoryClear.class),
          new Hook(MEMORY, "deleteAll", List.of(), MemoryClear.class),
          new Hook(FORMAT, "fromByteArray", List.of(BYTES), DecodeRecord.class),
          new Hook(FORMAT, "toByteArray", List.of("java.util.List"), EncodeRecord.class),
          READ_MESSAGE,
          WRITE_MESSAGE,
          new Hook(
              REQUESTS,
              "handleRequest",
              List.of(
                  "java.io.DataInputStream",
                  "java.io.DataOutputStream",
                  "voldemort.common.nio.ByteBufferContainer"),
              EndRequest.class),
          new Hook(PUSHER, "run", List.of(), HintsPushed.class),
          new Hook(PUSHER, "loadMetadata", List.of(), HintQueuesMade.class),
          new Hook(ONE_BY_ONE_PUSHER, "run", List.of(), HintsPushed.class),
          new Hook(ENTRIES, "next", List.of(), HintToPush.class),
          new Hook(HINT, "getRequestType", List.of(), HintRead.class),
          new Hook(
              HINTS_TAKEN,
              "handleRequest",
              List.of("java.io.DataInputStream", "java.io.DataOutputStream"),
              EndRequest.class),
          new Hook(
              STORAGE,
              "removeEngine",
              List.of("voldemort.store.StorageEngine", "boolean", "java.lang.String", "boolean"),
              StoreRemoved.class),
          new Hook(STORAGE, "startInner", List.of(), StorageStarted.class),
          new Hook(STORAGE, "stopInner", List.of(), StorageStopping.class));

  private static final List<Hook> CLIENT =
      List.of(
          new Hook(ROUTED, "get", List.of(KEY, BYTES, "long"), RoutedOperation.class),
          new Hook(
              ROUTED,
              "getAll",
              List.of("java.lang.Iterable", "java.util.Map", "long"),
              RoutedOperation.class),
          new Hook(ROUTED, "getVersions", List.of(KEY), RoutedOperation.class),
          new Hook(ROUTED, "put", List.of(KEY, VERSIONED, BYTES, "long"), RoutedOperation.class),
          new Hook(ROUTED, "delete", List.of(KEY, VERSION, "long"), RoutedOperation.class),
          new Hook(REPAIRER, "getRepairs", List.of("java.util.List"), RepairsFound.class),
          new Hook(REQUEST, Hook.CONSTRUCTOR, List.of(), RequestMade.class),
          new Hook(
              REQUEST,
              "formatRequest",
              List.of("voldemort.common.nio.ByteBufferBackedOutputStream"),
              RequestFormatted.class),
          new Hook(
              REQUEST, "parseResponse", List.of("java.io.DataInputStream"), ResponseParsed.class),
          new Hook(AWAITED, "complete", List.of(), RequestCompleted.class),
          new Hook(AWAITED, "timeOut", List.of(), RequestCompleted.class),
          new Hook(QUEUED, "handleException", List.of("java.lang.Exception"), RequestNotSent.class),
          READ_MESSAGE,
          WRITE_MESSAGE);

  private final List<Hook> hooks;

  private Weaver(List<Hook> hooks) {
    this.hooks = hooks;
  }

  /** The hooks of a watched server. */
  public static Weaver ofServer() {
    return new Weaver(SERVER);
  }

  /** The hooks of an application with Voldemort's client. */
  public static Weaver ofClient() {
    return new Weaver(CLIENT);
  }

  /** The classes that {@link #weave} changes. */
  Set<String> types() {
    Set<String> types = new LinkedHashSet<>();
    hooks.forEach(hook -> types.add(hook.type()));
    return types;
  }

  /** The hooked methods that {@code classes} lack. */
  List<String> missing(ClassFileLocator classes) {
    List<String> missing = new ArrayList<>();
    TypePool pool = TypePool.Default.of(classes);
    for (Hook hook : hooks) {
      TypePool.Resolution type = pool.describe(hook.type());
      if (!type.isResolved()
          || type.resolve().getDeclaredMethods().filter(hook.matcher()).size() != 1) {
        missing.add(hook.toString());
      }
    }
    return missing;
  }

  /** The woven class file. {@code others} finds the classes that it names. */
  byte[] weave(String type, byte[] classFile, ClassFileLocator others) {
    ClassFileLocator locator =
        new ClassFileLocator.Compound(ClassFileLocator.Simple.of(type, classFile), others);
    TypeDescription described = TypePool.Default.of(locator).describe(type).resolve();
    DynamicType.Builder<?> builder =
        withFields(
            type, new ByteBuddy().with(TypeValidation.DISABLED).redefine(described, locator));
    for (Hook hook : hooks) {
      if (hook.type().equals(type)) {
        builder = builder.visit(Advice.to(hook.advice()).on(hook.matcher()));
      }
    }
    return builder.make().getBytes();
  }

  /** A client's objects store the agent's values in added fields. */
  private static DynamicType.Builder<?> withFields(String type, DynamicType.Builder<?> builder) {
    return switch (type) {
      case ROUTED -> builder.defineField("palinodeClient", Object.class, FIELD);
      case REQUEST ->
          builder
              .defineField("palinodeRide", Ride.class, FIELD)
              .implement(Rider.class)
              .intercept(FieldAccessor.ofField("palinodeRide"));
      default -> builder;
    };
  }
}
