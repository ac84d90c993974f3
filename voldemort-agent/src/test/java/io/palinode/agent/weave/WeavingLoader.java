package io.palinode.agent.weave;

import java.io.IOException;
import java.io.InputStream;
import net.bytebuddy.dynamic.ClassFileLocator;

/** Loads the stand-ins for Voldemort's classes again, woven, as the agent does with Voldemort's. */
public final class WeavingLoader extends ClassLoader {
  private final Weaver weaver;

  public WeavingLoader(Weaver weaver) {
    super(WeavingLoader.class.getClassLoader());
    this.weaver = weaver;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("voldemort.")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] file = in.readAllBytes();
      if (weaver.types().contains(name)) {
        file = weaver.weave(name, file, ClassFileLocator.ForClassLoader.of(getParent()));
      }
      return defineClass(name, file, 0, file.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }
}
