package io.palinode.examples.tasks;

import java.util.Random;
import java.util.SortedMap;

/**
 * Stations on a map, meant for a grid: a station's value is the mean of its neighbours, itself and
 * a new measurement, in tenths of a degree. Never ends: a run is stopped.
 */
public record Weather() implements VertexProgram {
  private static final int COLDEST = -200;
  private static final int WARMEST = 400;

  @Override
  public String first(int vertex) {
    return Integer.toString(measured(vertex, 0));
  }

  @Override
  public String next(int vertex, int round, String own, SortedMap<Integer, String> neighbours) {
    int sum = Integer.parseInt(own) + measured(vertex, round);
    for (String value : neighbours.values()) {
      sum += Integer.parseInt(value);
    }
    return Integer.toString(Math.floorDiv(sum, neighbours.size() + 2));
  }

  @Override
  public boolean ends(VertexState state) {
    return false;
  }

  /** An invented measurement. A program that measures keeps the result until its task stands. */
  private static int measured(int vertex, int round) {
    return new Random(31L * vertex + round).nextInt(COLDEST, WARMEST);
  }
}
