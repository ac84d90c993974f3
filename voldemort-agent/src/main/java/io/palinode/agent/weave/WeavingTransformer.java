package io.palinode.agent.weave;

import io.palinode.agent.boot.Hooks;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import net.bytebuddy.dynamic.ClassFileLocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Weaves classes when they are loaded. Reports a class that cannot be woven; it stays unchanged.
 */
public final class WeavingTransformer implements ClassFileTransformer {
  private static final Logger log = LoggerFactory.getLogger(WeavingTransformer.class);

  private final Weaver weaver;
  private final Set<String> types;
  private final Set<String> woven = ConcurrentHashMap.newKeySet();
  private final Consumer<String> notWoven;

  /**
   * @param notWoven accepts the name of a class that stays unwoven
   */
  public WeavingTransformer(Weaver weaver, Consumer<String> notWoven) {
    this.weaver = weaver;
    this.types = weaver.types();
    this.notWoven = notWoven;
  }

  /** Weaves from now on. A class that is loaded already stays unwoven, which is reported. */
  public void install(Instrumentation instrumentation) {
    instrumentation.addTransformer(this);
    for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
      if (types.contains(loaded.getName()) && !woven.contains(loaded.getName())) {
        log.error("class={} state=NOT_WOVEN it was loaded before the agent", loaded.getName());
        notWoven.accept(loaded.getName());
      }
    }
  }

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      @Nullable String internalName,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] classFile) {
    String type = internalName == null ? "" : internalName.replace('/', '.');
    if (!types.contains(type)) {
      return null;
    }
    if (!seesHooks(loader)) {
      log.error(
          "class={} loader={} state=NOT_WOVEN it does not see the agent's classes, which are on the class path",
          type,
          loader);
      notWoven.accept(type);
      return null;
    }
    try {
      byte[] changed = weaver.weave(type, classFile, ClassFileLocator.ForClassLoader.of(loader));
      woven.add(type);
      return changed;
    } catch (RuntimeException | LinkageError e) {
      log.error("class={} state=NOT_WOVEN", type, e);
      notWoven.accept(type);
      return null;
    }
  }

  /**
   * Whether the loader sees the agent's classes; otherwise woven code would fail with a linkage
   * error.
   */
  private static boolean seesHooks(@Nullable ClassLoader loader) {
    try {
      return Class.forName(Hooks.class.getName(), false, loader) == Hooks.class;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /** The classes that run woven. */
  public Set<String> woven() {
    return Set.copyOf(woven);
  }
}
