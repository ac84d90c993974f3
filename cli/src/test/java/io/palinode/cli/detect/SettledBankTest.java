package io.palinode.cli.detect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A bank whose transfers are two puts, one after the other, as at R = W = 1. Some lose an update. A
 * total with {@code for} is violated once per wrong total that stood for the time.
 */
class SettledBankTest extends DetectFixture {
  private static final int ACCOUNTS = 10;
  private static final int BALANCE = 100;
  private static final long TIME = 2_000_000;
  private static final Pattern VIOLATE = Pattern.compile("\"violate\":\"([0-9]+)\"");
  private static final String BANK =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: bank}
      spec:
        epsilon: 1ms
        replicas: any
        forEach: {bank: "{bank}"}
        violation:
          - sum:
              of: {var: "balance_{bank}_{account}"}
              distinct: account
              count: 10
              notEquals: 1000
      """;

  @Test
  void onlyATotalThatStoodForTheTimeIsFound() throws IOException {
    for (int seed = 0; seed < 20; seed++) {
      Bank bank = new Bank(new Random(seed));
      Files.writeString(predicate, BANK + "      for: 2s\n");
      assertThat(detect(bank.lines())).as("seed=%d %s", seed, err).isOne();
      assertThat(found()).as("seed=%d", seed).isEqualTo(bank.settledWrong);
      Files.writeString(predicate, BANK);
      assertThat(detect(bank.lines())).isOne();
      assertThat(found().size()).as("without a time").isGreaterThan(Bank.TRANSFERS);
    }
  }

  private TreeSet<Long> found() {
    TreeSet<Long> found = new TreeSet<>();
    VIOLATE
        .matcher(out.toString())
        .results()
        .forEach(each -> found.add(Long.parseLong(each.group(1))));
    return found;
  }

  private static final class Bank {
    static final int TRANSFERS = 40;

    private final int[] balances = new int[ACCOUNTS];
    private final long[] since = new long[ACCOUNTS];
    private final List<String> lines = new ArrayList<>();
    private final TreeSet<Long> settledWrong = new TreeSet<>();
    private int sequence;

    Bank(Random random) {
      Arrays.fill(balances, BALANCE);
      Arrays.fill(since, 1);
      long now = 10_000_000;
      for (int transfer = 0; transfer < TRANSFERS; transfer++) {
        int from = random.nextInt(ACCOUNTS);
        int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
        int amount = 1 + random.nextInt(20);
        int error = Arrays.stream(balances).sum() - ACCOUNTS * BALANCE;
        int lost = transfer == 0 || random.nextInt(5) == 0 ? 1 + random.nextInt(5) : error;
        put(from, balances[from] - amount, now);
        now += 1_000 + random.nextInt(50_000);
        put(to, balances[to] + amount - lost, now);
        long pause = random.nextBoolean() ? TIME / 2 : 2 * TIME;
        if (pause > TIME && Arrays.stream(balances).sum() != ACCOUNTS * BALANCE) {
          settledWrong.add(now + TIME);
        }
        now += pause;
      }
      for (int account = 0; account < ACCOUNTS; account++) {
        line(account, Long.toString(now));
      }
    }

    private void put(int account, int balance, long at) {
      line(account, Long.toString(at - 1));
      balances[account] = balance;
      since[account] = at;
    }

    private void line(int account, String end) {
      lines.add(
          """
          {"predicate":"bank","binding":"bank=a","member":"account=%d","clause":0,"term":0,"node":0,\
          "seq":%d,"start":["%d"],"end":["%s"],"values":{"balance_a_%d":"%d"}}\
          """
              .formatted(account, ++sequence, since[account], end, account, balances[account]));
    }

    /** In the order of starts, as a node's lines are. */
    String[] lines() {
      return lines.stream()
          .sorted(java.util.Comparator.comparingLong(Bank::start))
          .toArray(String[]::new);
    }

    private static long start(String line) {
      int from = line.indexOf("\"start\":[\"") + "\"start\":[\"".length();
      return Long.parseLong(line.substring(from, line.indexOf('"', from)));
    }
  }
}
