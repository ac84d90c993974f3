package io.palinode.hazelcast;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import io.palinode.hazelcast.advice.MapOperationBegins;
import io.palinode.hazelcast.advice.MemberStart;
import io.palinode.hazelcast.advice.MigrationBegins;
import io.palinode.hazelcast.advice.ObserversAdded;
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

/** Weaves calls of {@link io.palinode.hazelcast.boot.Hooks} into four methods of Hazelcast. */
final class MemberWeaver {
  /**
   * A method, with the advice that is woven into it.
   *
   * @param type the name of its class
   */
  private record Hook(String type, String method, int arguments, Class<?> advice) {
    ElementMatcher.Junction<MethodDescription> matcher() {
      return named(method).and(takesArguments(arguments));
    }
  }

  private static final List<Hook> HOOKS =
      List.of(
          new Hook("com.hazelcast.instance.impl.Node", "start", 0, MemberStart.class),
          new Hook(
              "com.hazelcast.map.impl.recordstore.AbstractRecordStore",
              "addMutationObservers",
              0,
              ObserversAdded.class),
          new Hook(
              "com.hazelcast.map.impl.operation.MapOperation",
              "beforeRun",
              0,
              MapOperationBegins.class),
          new Hook(
              "com.hazelcast.map.impl.MapMigrationAwareService",
              "beforeMigration",
              1,
              MigrationBegins.class));

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
      if (HOOKS.stream().anyMatch(hook -> hook.type().equals(type))) {
        notWoven.accept(type, failure);
      }
    }
  }
}
