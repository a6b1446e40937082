/** What can be asked of a peer, and what it has to say. */

/** What this side answers when it is asked. */
export const ANSWERS = {
  onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  onSample: () => ({
    role: 'assistant',
    model: 'cow',
    stopReason: 'endTurn',
    content: { type: 'text', text: 'Moo' },
  }),
  roots: [{ uri: 'file:///tmp', name: 'temporary' }],
};

/** What the servers in `servers/` offer. */
export const COMMON = {
  call: { tool: 'add', args: { a: 2, b: 3 }, says: /5/ },
  output: { tool: 'add', args: { a: 2, b: 3 }, gives: { sum: 5 } },
  elicit: { tool: 'ask', says: /^Hello Ada$/ },
  sample: { tool: 'sample', says: /^The model says Moo$/ },
  roots: { tool: 'roots', says: /^file:\/\/\/tmp$/ },
  progress: { tool: 'count', steps: [1, 2, 3] },
  cancel: { tool: 'wait', started: 'waiting', ended: 'waited', says: /^cancelled$/ },
  resume: { tool: 'wait', started: 'waiting', letGo: 'release', says: /^Released$/, steps: [1, 2] },
  changed: { what: 'tools', tool: 'grow', adds: 'grown' },
  updated: { uri: 'test://hello', tool: 'touch' },
  resource: { uri: 'test://hello', text: /^Hello$/ },
  template: { uriTemplate: 'test://items/{id}', uri: 'test://items/7', text: /^Item 7$/ },
  prompt: { name: 'greet', args: { name: 'Ada' }, text: /^Please greet Ada$/ },
  completions: [
    { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' }, values: ['Ada', 'Alan'] },
    {
      ref: { type: 'ref/resource', uri: 'test://items/{id}' },
      argument: { name: 'id', value: '1' },
      values: ['1', '12'],
    },
  ],
};

/** What the reference server "everything" offers. */
export const EVERYTHING = {
  call: { tool: 'get-sum', args: { a: 2, b: 3 }, says: /is 5\.$/ },
  output: {
    tool: 'get-structured-content',
    args: { location: 'Chicago' },
    gives: { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 },
  },
  elicit: { tool: 'trigger-elicitation-request', says: /- Name: Ada/ },
  sample: { tool: 'trigger-sampling-request', args: { prompt: 'Say something' }, says: /"Moo"/ },
  roots: { tool: 'get-roots-list', says: /URI: file:\/\/\/tmp/ },
  progress: { tool: 'trigger-long-running-operation', args: { duration: 0.1, steps: 2 }, steps: [1, 2] },
  resume: {
    tool: 'trigger-long-running-operation',
    args: { duration: 2, steps: 2 },
    says: /completed/,
    steps: [1, 2],
  },
  changed: {
    what: 'resources',
    tool: 'gzip-file-as-resource',
    args: { name: 'grown.gz', data: 'data:text/plain,grown' },
    adds: 'grown.gz',
  },
  // From then on it sends updates every five seconds, also when its input has ended: it has to be told to go.
  updated: { uri: 'demo://resource/static/document/features.md', tool: 'toggle-subscriber-updates' },
  resource: { uri: 'demo://resource/static/document/features.md', text: /^# Everything Server/ },
  template: {
    uriTemplate: 'demo://resource/dynamic/text/{resourceId}',
    uri: 'demo://resource/dynamic/text/7',
    text: /^Resource 7: /,
  },
  prompt: { name: 'args-prompt', args: { city: 'Turin' }, text: /weather in Turin/ },
  completions: [
    {
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'S' },
      values: ['Sales', 'Support'],
    },
    {
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'name', value: '' },
      others: { department: 'Sales' },
      values: ['David', 'Eve', 'Frank'],
    },
  ],
};
