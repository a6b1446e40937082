/** What the servers with views have in common. */

export const VIEW = {
  uri: 'ui://weather/view.html',
  html: '<!doctype html><title>Weather</title>',
  settings: {
    csp: { connectDomains: ['https://api.example.com'], resourceDomains: ['https://*.example.com'] },
    permissions: { geolocation: {}, clipboardWrite: {} },
    domain: 'weather.example.com',
    prefersBorder: true,
  },
};

const object = (name, type) => ({ type: 'object', properties: { [name]: { type } }, required: [name] });
export const CITY = object('city', 'string');
export const DEGREES = object('degrees', 'number');

/** The weather: as many degrees as the name has letters. */
export const weatherIn = ({ city }) => ({ degrees: city.length });
