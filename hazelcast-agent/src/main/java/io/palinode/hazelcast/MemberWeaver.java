package io.palinode.hazelcast;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import io.palinode.hazelcast.advice.JoinRequested;
import io.palinode.hazelcast.advice.MapOperationBegins;
import io.palinode.hazelcast.advice.MemberStart;
import io.palinode.hazelcast.advice.MigrationBegins;
import io.palinode.hazelcast.advice.ObserversAdded;
import io.palinode.hazelcast.advice.PacketMade;
import io.palinode.hazelcast.advice.PacketReceived;
import java.lang.instrument.Instrumentation;
import java.util.List;
import java.util.function.BiConsumer;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;
import net.bytebuddy.utility.JavaModule;
import org.jspecify.annotations.Nullable;

/** Weaves calls of {@link io.palinode.hazelcast.boot.Hooks} into methods of Hazelcast. */
final class MemberWeaver {
  private static final String OPERATIONS = "spi.impl.operationservice.impl.";
  private static final String PACKET = "com.hazelcast.internal.nio.Packet";

  /**
   * A method, with the advice that is woven into it.
   *
   * @param type the name of its class
   * @param arguments the names of their types
   */
  private record Hook(String type, String method, List<String> arguments, Class<?> advice) {
    static Hook of(String type, String method, Class<?> advice, String... arguments) {
      return new Hook("com.hazelcast." + type, method, List.of(arguments), advice);
    }

    ElementMatcher.Junction<MethodDescription> matcher() {
      ElementMatcher.Junction<MethodDescription> matcher =
          named(method).and(takesArguments(arguments.size()));
      for (int i = 0; i < arguments.size(); i++) {
        String argument = arguments.get(i);
        matcher = matcher.and(takesArgument(i, type -> type.getActualName().equals(argument)));
      }
      return matcher;
    }
  }

  private static final List<Hook> HOOKS =
      List.of(
          Hook.of("instance.impl.Node", "start", MemberStart.class),
          Hook.of(
              "instance.impl.DefaultNodeExtension",
              "validateJoinRequest",
              JoinRequested.class,
              "com.hazelcast.internal.cluster.impl.JoinMessage"),
          Hook.of(
              "map.impl.recordstore.AbstractRecordStore",
              "addMutationObservers",
              ObserversAdded.class),
          Hook.of("map.impl.operation.MapOperation", "beforeRun", MapOperationBegins.class),
          Hook.of(
              "map.impl.MapMigrationAwareService",
              "beforeMigration",
              MigrationBegins.class,
              "com.hazelcast.internal.partition.PartitionMigrationEvent"),
          Hook.of(
              OPERATIONS + "OutboundOperationHandler",
              "toPacket",
              PacketMade.class,
              "com.hazelcast.spi.impl.operationservice.Operation"),
          Hook.of(
              OPERATIONS + "OutboundResponseHandler",
              "newResponsePacket",
              PacketMade.class,
              "byte[]",
              "boolean"),
          Hook.of(OPERATIONS + "OperationRunnerImpl", "run", PacketReceived.class, PACKET),
          Hook.of(OPERATIONS + "InboundResponseHandler", "accept", PacketReceived.class, PACKET));

  private MemberWeaver() {}

  /** The hooked methods that {@code classes} lack. */
  static List<String> missing(ClassFileLocator classes) {
    TypePool pool = TypePool.Default.of(classes);
    return HOOKS.stream()
        .filter(
            hook -> {
              TypePool.Resolution type = pool.describe(hook.type());
              return !type.isResolved()
                  || type.resolve().getDeclaredMethods().filter(hook.matcher()).size() != 1;
            })
        .map(hook -> hook.type() + "." + hook.method())
        .toList();
  }

  /**
   * Weaves the classes when they are loaded.
   *
   * @param notWoven accepts the name of a class that stays unwoven, and the failure
   */
  static void install(Instrumentation instrumentation, BiConsumer<String, Throwable> notWoven) {
    requireUnloaded(instrumentation.getAllLoadedClasses());
    AgentBuilder builder =
        new AgentBuilder.Default().disableClassFormatChanges().with(new Failures(notWoven));
    for (Hook hook : HOOKS) {
      builder =
          builder
              .type(named(hook.type()))
              .transform(
                  (type, description, loader, module, domain) ->
                      type.visit(Advice.to(hook.advice()).on(hook.matcher())));
    }
    var unused = builder.installOn(instrumentation);
  }

  /** A class that is loaded stays as it is, and a member that lacks a hook may not know it. */
  static void requireUnloaded(Class<?>... loaded) {
    for (Class<?> type : loaded) {
      if (isHooked(type.getName())) {
        throw new IllegalArgumentException(
            "%s was loaded before this agent: put its -javaagent before other agents"
                .formatted(type.getName()));
      }
    }
  }

  private static boolean isHooked(String type) {
    return HOOKS.stream().anyMatch(hook -> hook.type().equals(type));
  }

  private static final class Failures extends AgentBuilder.Listener.Adapter {
    private final BiConsumer<String, Throwable> notWoven;

    Failures(BiConsumer<String, Throwable> notWoven) {
      this.notWoven = notWoven;
    }

    @Override
    public void onError(
        String type,
        @Nullable ClassLoader loader,
        @Nullable JavaModule module,
        boolean isLoaded,
        Throwable failure) {
      if (isHooked(type)) {
        notWoven.accept(type, failure);
      }
    }
  }
}
