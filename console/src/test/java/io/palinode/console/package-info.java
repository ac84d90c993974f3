@org.jspecify.annotations.NullMarked
package io.palinode.console;
