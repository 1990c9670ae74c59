package org.sordino.torch;

import java.util.Iterator;
import java.util.function.Supplier;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;

/**
 * Scopes of native memory. A tensor belongs to the innermost scope of the thread that created it
 * and is freed at the end of that scope. Results that must outlive the scope are returned as Java
 * arrays.
 */
@SuppressWarnings("try") // the resources only need to be open; they are never referenced
final class Scopes {

  private Scopes() {}

  /** Runs the body and frees every tensor that it creates. */
  static void run(Runnable body) {
    try (PointerScope scope = new PointerScope()) {
      body.run();
    }
  }

  /**
   * Runs the body, frees every tensor that it creates, and returns its result, which must not be a
   * tensor.
   */
  static <T> T get(Supplier<T> body) {
    try (PointerScope scope = new PointerScope()) {
      return body.get();
    }
  }

  /** Moves a tensor from the innermost scope to the scope around it. */
  static <T extends Pointer> T keep(T pointer) {
    Iterator<PointerScope> scopes = PointerScope.getScopeIterator();
    scopes.next();
    scopes.next().attach(pointer);
    return pointer;
  }

  /** Runs the body without autograd history. */
  static void withoutGradients(Runnable body) {
    try (NoGradGuard guard = new NoGradGuard()) {
      body.run();
    }
  }
}
