package io.palinode.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The clusters of a user, as a file has them. Immutable.
 *
 * @param current the name of the one that commands use; null: none
 */
public record Contexts(@Nullable String current, Map<String, Context> contexts) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /** Names the file of {@link #file}. */
  private static final String FILE = "PALINODE_CONFIG";

  /** Names the context to use instead of the current one. */
  private static final String CONTEXT = "PALINODE_CONTEXT";

  public Contexts {
    contexts = contexts == null ? Map.of() : new TreeMap<>(contexts);
  }

  /** The user's file: {@code $PALINODE_CONFIG}, else in {@code $XDG_CONFIG_HOME} or ~/.config. */
  public static Path file() {
    String named = System.getenv(FILE);
    if (named != null && !named.isEmpty()) {
      return Path.of(named);
    }
    String folder = System.getenv("XDG_CONFIG_HOME");
    return (folder == null || folder.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".config")
            : Path.of(folder))
        .resolve(Path.of("palinode", "config.json"));
  }

  /** Throws {@link Refusal} if the file cannot be read; without one there are no contexts. */
  public static Contexts read(Path file) {
    try {
      return Files.exists(file)
          ? JSON.readValue(Files.readString(file), Contexts.class)
          : new Contexts(null, Map.of());
    } catch (JsonProcessingException e) {
      throw new Refusal(
          "cannot read the contexts in %s: %s".formatted(file, e.getOriginalMessage()), e);
    } catch (IOException e) {
      throw new Refusal("cannot read the contexts in %s: %s".formatted(file, e), e);
    }
  }

  /** Replaces the file. Throws {@link Refusal} if it cannot be written. */
  public void write(Path file) {
    try {
      Path folder = file.toAbsolutePath().getParent();
      Files.createDirectories(folder);
      Path written = Files.createTempFile(folder, "config", ".json");
      Files.writeString(written, JSON.writeValueAsString(this) + "\n");
      Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new Refusal("cannot write the contexts to %s: %s".formatted(file, e), e);
    }
  }

  /** The context that commands of this process use; {@link Context#NONE} if there is none. */
  public static Context inUse() {
    Path file = file();
    Contexts all = read(file);
    String named = System.getenv(CONTEXT);
    String name = named == null || named.isEmpty() ? all.current : named;
    return name == null ? Context.NONE : all.get(name, file);
  }

  /** Throws {@link Refusal} if there is none of this name; {@code file} is named in it. */
  public Context get(String name, Path file) {
    Context context = contexts.get(name);
    if (context == null) {
      throw new Refusal(
          "there is no context '%s' in %s: see 'palinode config get-contexts'"
              .formatted(name, file));
    }
    return context;
  }

  public Contexts with(String name, Context context) {
    Map<String, Context> all = new TreeMap<>(contexts);
    all.put(name, context);
    return new Contexts(current, all);
  }

  public Contexts without(String name) {
    Map<String, Context> all = new TreeMap<>(contexts);
    all.remove(name);
    return new Contexts(name.equals(current) ? null : current, all);
  }

  public Contexts using(String name) {
    return new Contexts(name, contexts);
  }
}
