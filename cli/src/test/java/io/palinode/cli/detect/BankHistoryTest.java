package io.palinode.cli.detect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The history of a transactional bank, judged by the predicate of the page: transfers keep a bank's
 * total, except those that overwrite a balance they had read too early.
 */
class BankHistoryTest extends DetectFixture {
  private static final int ACCOUNTS = 10;
  private static final int BALANCE = 100;
  private static final Pattern VIOLATION =
      Pattern.compile("\"binding\":\"bank=([ab])\".*\"violate\":\"([0-9]+)\"");

  @BeforeEach
  void takeThePredicateOfThePage() {
    predicate = Path.of("src/test/resources/explain/bank.yaml");
  }

  @Test
  void everyTimeOfAWrongTotalIsFoundAndNoOther() {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      Bank a = new Bank("a", 1, random);
      Bank b = new Bank("b", 1_000, random);
      List<Line> trace = new ArrayList<>(a.lines);
      trace.addAll(b.lines);
      trace.sort(Comparator.comparingInt(Line::start));
      String[] lines = trace.stream().map(Line::text).toArray(String[]::new);
      assertThat(detect(lines)).as("seed=%d", seed).isOne();
      assertThat(found("a")).as("seed=%d", seed).isEqualTo(a.wrong);
      assertThat(found("b")).as("seed=%d", seed).isEqualTo(b.wrong);
    }
  }

  @Test
  void anAccountThatIsMissingMakesNoTotal() throws IOException {
    List<String> trace = new ArrayList<>();
    for (int account = 1; account < ACCOUNTS; account++) {
      trace.add(balance("a", account, account, 1, "null", 7));
    }
    assertThat(detect(trace.toArray(String[]::new))).isZero();
    trace.add(balance("a", 0, ACCOUNTS, 1, "null", 7));
    assertThat(detect(trace.toArray(String[]::new))).isOne();
  }

  private Set<Integer> found(String bank) {
    Set<Integer> begins = new TreeSet<>();
    VIOLATION
        .matcher(out.toString())
        .results()
        .filter(line -> line.group(1).equals(bank))
        .map(BankHistoryTest::begin)
        .forEach(begins::add);
    return begins;
  }

  private static int begin(MatchResult line) {
    return Integer.parseInt(line.group(2));
  }

  private static String balance(
      String bank, int account, int seq, int start, String end, int balance) {
    return """
    {"predicate":"bank","binding":"bank=%s","member":"account=%d","clause":0,"term":0,"node":0,\
    "seq":%d,"start":["%d"],"end":%s,"values":{"balance_%s_%d":"%d"}}\
    """
        .formatted(bank, account, seq, start, end, bank, account, balance);
  }

  private record Line(int start, String text) {}

  /** One bank of a database, which commits one transaction at a time. */
  private static final class Bank {
    private static final int TRANSFERS = 60;

    private final String name;
    private final int[] balances = new int[ACCOUNTS];
    private final int[] since = new int[ACCOUNTS];
    private final List<Line> lines = new ArrayList<>();
    private final Set<Integer> wrong = new TreeSet<>();
    private int sequence;

    Bank(String name, int firstSequence, Random random) {
      this.name = name;
      this.sequence = firstSequence;
      Arrays.fill(balances, BALANCE);
      Arrays.fill(since, 1);
      for (int transfer = 1; transfer <= TRANSFERS; transfer++) {
        transfer(10 * transfer, random);
      }
      for (int account = 0; account < ACCOUNTS; account++) {
        end(account, "null");
      }
    }

    private void transfer(int at, Random random) {
      int from = random.nextInt(ACCOUNTS);
      int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
      int amount = 1 + random.nextInt(20);
      int error = total() - ACCOUNTS * BALANCE;
      // A lost update leaves a wrong total; a later transfer mostly corrects it.
      int lost =
          random.nextInt(6) == 0 ? 1 + random.nextInt(5) : random.nextInt(3) == 0 ? error : 0;
      commit(from, balances[from] - amount, at);
      commit(to, balances[to] + amount - lost, at);
      if (total() != ACCOUNTS * BALANCE) {
        wrong.add(at + 1);
      }
    }

    private void commit(int account, int balance, int at) {
      end(account, "[\"" + at + "\"]");
      balances[account] = balance;
      since[account] = at + 1;
    }

    private void end(int account, String end) {
      String text = balance(name, account, sequence++, since[account], end, balances[account]);
      lines.add(new Line(since[account], text));
    }

    private int total() {
      return Arrays.stream(balances).sum();
    }
  }
}
