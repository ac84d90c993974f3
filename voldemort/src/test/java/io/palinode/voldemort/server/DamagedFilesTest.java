package io.palinode.voldemort.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.voldemort.server.FileWorld.Answers;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Flips a bit, cuts or removes a file of each kind of a node's folder, opens it and asks
 * everything. No answer may differ, unless it is a refusal. {@code -Dpalinode.flips=N} makes N
 * flips of a kind.
 */
@Timeout(3_600)
class DamagedFilesTest {
  private static final int FLIPS = Integer.getInteger("palinode.flips", 1);
  private static final long SEED = Long.getLong("palinode.seed", 20);
  private static final int CUTS = Math.max(1, FLIPS / 5);

  private static final Map<String, String> KINDS = new LinkedHashMap<>();

  static {
    KINDS.put("records", ".*/bdb/.*\\.jdb");
    KINDS.put("count of commits", ".*/STORE-END");
    KINDS.put("spare", ".*/bdb/palinode-spare");
    KINDS.put("label", ".*/VERSION");
    KINDS.put("window-log", ".*/window-log/[^/]*/changes/.*\\.log");
    KINDS.put("window-log state", ".*/window-log/[^/]*/changes/STATE");
    KINDS.put("deletes", ".*/window-log/[^/]*/deletes/.*\\.log");
    KINDS.put("deletes state", ".*/window-log/[^/]*/deletes/STATE");
    KINDS.put("snapshot run", ".*/snapshots/.*/run-.*");
    KINDS.put("snapshot part", ".*/snapshots/.*/part-.*");
    KINDS.put("snapshot manifest", ".*/snapshots/.*/manifest");
    KINDS.put("repaired incarnation", ".*/REPAIRED");
  }

  /** Locks of processes have no content; this one is Berkeley DB's, of its statistics. */
  private static final String NO_CONTENT = ".*/(LOCK|bdb/je\\.lck|bdb/je\\.info.*)";

  private enum Outcome {
    REFUSED,
    FOUND,
    REPAIRED,
    HARMLESS,
    DIFFERENT
  }

  @TempDir Path folder;
  private final FileWorld world = new FileWorld();
  private final Random random = new Random(SEED);
  private Path killed = Path.of("");
  private Path closed = Path.of("");

  @BeforeEach
  void fill() throws Exception {
    killed = folder.resolve("killed");
    closed = folder.resolve("closed");
    world.fill(closed, killed, random);
  }

  /** One file, changed. */
  private record Damage(Path file, String text, Change change) {}

  private interface Change {
    void to(Path file) throws IOException;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noDamagedFileChangesAnAnswerSilently(boolean wasKilled) throws IOException {
    Path image = wasKilled ? killed : closed;
    Answers expected = askCopy(image, null);
    assertThat(expected.byQuestion().values()).noneMatch(answer -> answer.startsWith("refused"));
    assertThat(expected.lost()).isZero();
    assertThat(files(image, ".*"))
        .as("every file is of a kind that is damaged below")
        .allMatch(
            file ->
                file.toString().matches(NO_CONTENT)
                    || KINDS.values().stream().anyMatch(kind -> file.toString().matches(kind)));
    List<String> wrong = new ArrayList<>();
    System.out.printf(
        "seed %d, %s%n%-18s %6s %5s %8s %6s %9s %9s %10s%n",
        SEED,
        wasKilled ? "killed" : "closed in order",
        "kind",
        "flips",
        "cuts",
        "refused",
        "found",
        "repaired",
        "harmless",
        "different");
    for (Map.Entry<String, String> kind : KINDS.entrySet()) {
      wrong.addAll(damage(kind.getKey(), files(image, kind.getValue()), image, expected));
    }
    assertThat(wrong).as("seed %d", SEED).isEmpty();
  }

  private List<String> damage(String kind, List<Path> files, Path image, Answers expected)
      throws IOException {
    assertThat(files).as(kind).isNotEmpty();
    Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);
    List<String> wrong = new ArrayList<>();
    int flips = kind.equals("records") ? 3 * FLIPS : FLIPS;
    for (int i = 0; i < flips + CUTS; i++) {
      Path file = files.get(random.nextInt(files.size()));
      Damage damage = i < flips ? flip(image.resolve(file), file) : cut(image.resolve(file), file);
      Outcome outcome;
      try {
        outcome = outcome(expected, askCopy(image, damage), damage, wrong);
      } catch (RuntimeException refused) {
        outcome = Outcome.REFUSED;
        if (!Objects.toString(refused.getMessage()).contains(folder.toString())) {
          wrong.add(damage.text() + " is refused without its folder: " + refused);
        }
      }
      counts.merge(outcome, 1, Integer::sum);
    }
    assertThat(askCopy(image, null).byQuestion())
        .as("after %s", kind)
        .isEqualTo(expected.byQuestion());
    System.out.printf(
        "%-18s %6d %5d %8d %6d %9d %9d %10d%n",
        kind,
        flips,
        CUTS,
        counts.getOrDefault(Outcome.REFUSED, 0),
        counts.getOrDefault(Outcome.FOUND, 0),
        counts.getOrDefault(Outcome.REPAIRED, 0),
        counts.getOrDefault(Outcome.HARMLESS, 0),
        counts.getOrDefault(Outcome.DIFFERENT, 0));
    return wrong;
  }

  private static Outcome outcome(
      Answers expected, Answers answers, Damage damage, List<String> wrong) {
    boolean found = answers.byQuestion().values().stream().anyMatch(DamagedFilesTest::isRefused);
    boolean repaired = answers.lost() > 0;
    for (Map.Entry<String, String> question : expected.byQuestion().entrySet()) {
      String answer = Objects.toString(answers.byQuestion().get(question.getKey()));
      boolean mayBeShorter = question.getKey().equals(FileWorld.PASTS) && (found || repaired);
      if (!isRefused(answer) && !answer.equals(question.getValue()) && !mayBeShorter) {
        wrong.add(
            "%s changes '%s': %s, not %s"
                .formatted(damage.text(), question.getKey(), answer, question.getValue()));
        return Outcome.DIFFERENT;
      }
    }
    return repaired ? Outcome.REPAIRED : found ? Outcome.FOUND : Outcome.HARMLESS;
  }

  private static boolean isRefused(String answer) {
    return answer.startsWith("refused: ");
  }

  private Answers askCopy(Path image, @Nullable Damage damage) throws IOException {
    Path copy = folder.resolve("copy");
    FileWorld.copy(image, copy);
    try {
      if (damage != null) {
        damage.change().to(copy.resolve(damage.file().toString()));
      }
      return world.ask(copy);
    } finally {
      FileWorld.remove(copy);
    }
  }

  private Damage flip(Path of, Path file) throws IOException {
    long at = flippable(of);
    int bit = random.nextInt(8);
    return new Damage(
        file,
        "bit %d of byte %d of %s".formatted(bit, at, file),
        damaged -> {
          try (RandomAccessFile bytes = new RandomAccessFile(damaged.toFile(), "rw")) {
            bytes.seek(at);
            int was = bytes.read();
            bytes.seek(at);
            bytes.write(was ^ (1 << bit));
          }
        });
  }

  /** Behind the last byte that is not zero, nothing was written. */
  private long flippable(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int end = bytes.length;
    while (end > 1 && bytes[end - 1] == 0) {
      end--;
    }
    return random.nextInt(end);
  }

  private Damage cut(Path of, Path file) throws IOException {
    long size = Files.size(of);
    boolean isRemoved = random.nextInt(4) == 0;
    long left = random.nextBoolean() ? flippable(of) : (long) (random.nextDouble() * size);
    return new Damage(
        file,
        isRemoved ? "removing " + file : "cutting %s to %d bytes".formatted(file, left),
        damaged -> {
          if (isRemoved) {
            Files.delete(damaged);
            return;
          }
          try (RandomAccessFile bytes = new RandomAccessFile(damaged.toFile(), "rw")) {
            bytes.setLength(left);
          }
        });
  }

  private static List<Path> files(Path image, String pattern) throws IOException {
    try (var files = Files.walk(image)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> file.toString().matches(pattern))
          .map(image::relativize)
          .sorted()
          .toList();
    }
  }

  @Test
  void anEmptiedStoreIsRefused() throws IOException {
    FileWorld.remove(killed.resolve("node-0/bdb"));
    Files.createDirectories(killed.resolve("node-0/bdb"));
    assertThatThrownBy(() -> world.ask(killed))
        .hasMessageContaining("has no commit")
        .hasMessageContaining("palinode recover");
  }
}
