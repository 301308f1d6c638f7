/** Asks a visitor to sign in over the page they are on, which stays as it is. */
class SignInDialog {
  open = $state(false);
}

export const signInDialog = new SignInDialog();
