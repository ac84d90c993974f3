package io.palinode.voldemort.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.voldemort.bdb.DataFolder;
import io.palinode.voldemort.bdb.DataFolderException;
import io.palinode.voldemort.bdb.Recovery;
import io.palinode.voldemort.bdb.Recovery.Finding;
import io.palinode.voldemort.server.FileWorld.Answers;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RecoveryTest {
  private static final long SEED = 7;

  @TempDir Path folder;
  private final FileWorld world = new FileWorld();
  private Path data = Path.of("");
  private Path records = Path.of("");

  @BeforeEach
  void fill() throws Exception {
    data = folder.resolve("killed");
    world.fill(folder.resolve("closed"), data, new Random(SEED));
    try (var files = Files.list(data.resolve("node-0/bdb"))) {
      records =
          files.filter(file -> file.toString().endsWith(".jdb")).max(Path::compareTo).orElseThrow();
    }
  }

  private interface Step<T> {
    T with(Recovery recovery);
  }

  private <T> T recovering(Step<T> step) {
    try (DataFolder opened = DataFolder.open(data, 0, 1)) {
      return step.with(new Recovery(opened));
    }
  }

  private void flipInTheMiddle() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(records.toFile(), "rw")) {
      file.seek(file.length() / 2);
      int was = file.read();
      file.seek(file.length() / 2);
      file.write(was ^ 4);
    }
  }

  @Test
  void aStoreThatIsWholeIsReportedSo() {
    Finding found = recovering(Recovery::look);
    assertThat(found.damage()).isEmpty();
    assertThat(found.commits()).isGreaterThan(300);
  }

  @Test
  void whatComesBeforeAFlipCanBeKeptAndThePastBeginsAgain() throws IOException {
    Answers whole = world.ask(copyOf(data));
    flipInTheMiddle();
    assertThat(recovering(Recovery::look).damage()).contains(data.toString());
    assertThatThrownBy(() -> world.ask(data)).isInstanceOf(DataFolderException.class);

    Path aside = recovering(Recovery::keep);

    assertThat(aside.resolve("bdb")).isNotEmptyDirectory();
    assertThat(recovering(Recovery::look).isWhole()).isTrue();
    Answers kept = world.ask(data);
    assertThat(kept.byQuestion().get("scan")).isNotEqualTo(whole.byQuestion().get("scan"));
    assertThat(kept.byQuestion().get("get k1 at 0")).contains("refused").contains("reach");
    assertThat(recovering(Recovery::look).isWhole()).isTrue();
  }

  @Test
  void aStoreThatLacksItsLastCommitsNamesHowMany() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(records.toFile(), "rw")) {
      file.setLength(file.length() - 40_000);
    }
    assertThat(recovering(Recovery::look).damage())
        .containsPattern("lacks its last [\\d,]+ of [\\d,]+ acknowledged commits");
    assertThatThrownBy(() -> world.ask(data)).hasMessageContaining("palinode recover");
    // A refused start has changed nothing that counts: the next one is refused too.
    assertThatThrownBy(() -> world.ask(data)).hasMessageContaining("palinode recover");
  }

  @Test
  void aRebuiltNodeBeginsEmptyAndKeepsWhatWasFound() throws IOException {
    Files.write(records, new byte[0]);
    assertThatThrownBy(() -> world.ask(data)).isInstanceOf(DataFolderException.class);

    Path aside = recovering(Recovery::rebuild);

    assertThat(aside.resolve("bdb").resolve(records.getFileName().toString())).exists();
    assertThat(world.ask(data).byQuestion().get("scan")).isEqualTo("{}");
  }

  private Path copyOf(Path image) throws IOException {
    Path copy = folder.resolve("copy");
    FileWorld.copy(image, copy);
    return copy;
  }
}
