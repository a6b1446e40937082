/** The end of a round: what the client has to answer before there is a result. */

/** An `input_required` result of this package's own making. A class, so that no data can pass for it. */
export class RoundEnd {
  readonly result: object;

  constructor(result: object) {
    this.result = result;
  }
}
