import { languages } from './samples.js'

/**
 * A plugin of Swagger UI: how the page is laid out. It shows one `main`, code samples beside the description of each operation, and
 * folds away what an operation seldom needs: sparse fieldsets, headers, and all answers but success.
 *
 * @param {(path: string, method: string, language: string, form: import('./request.js').Form) => import('./samples.js').DescribedRequest} requestOf
 *   the request of the sample of an operation
 */
export function layout(requestOf) {
  return ({ React }) => {
    const { createElement: h, createContext, useContext, useId, useRef, useState } = React

    /** What is folded away of the parameters of an operation, and whether it is shown. */
    const Folding = createContext({ names: [], isOpen: true, toggle() {} })

    /** The language that was last chosen: other operations open with it, too. */
    let chosen = 'curl'

    function Page({ getComponent }) {
      const part = (name) => h(getComponent(name, true))
      const row = (...parts) => h('div', { className: 'wrapper' }, ...parts)
      return h(
        'div',
        { className: 'swagger-ui' },
        h('header', null, row(part('InfoContainer'), part('AuthorizeBtnContainer'))),
        h(
          'main',
          { id: 'operations', tabIndex: -1 },
          row(part('errors'), part('operations'), part('Models')),
        ),
      )
    }

    function Samples({ pathMethod, form, HighlightCode }) {
      const [language, setLanguage] = useState(chosen)
      const [made] = useState(() => new Map())
      const shown = useRef()
      const id = useId()
      // A request that is made once keeps its key: whoever sends it again gets the same answer.
      const wish = JSON.stringify([language, form])
      try {
        shown.current = made.get(wish) ?? requestOf(...pathMethod, language, form)
        made.set(wish, shown.current)
      } catch {
        // While a body is typed, it is no JSON, and the sample stays as it was.
      }
      const choose = (name) => {
        chosen = name
        setLanguage(name)
      }
      const step = ({ key, currentTarget }) => {
        const names = Object.keys(languages)
        const by = { ArrowLeft: -1, ArrowRight: 1 }[key]
        if (by) {
          const next = names.at((names.indexOf(language) + by) % names.length)
          choose(next)
          currentTarget.querySelector(`[data-language=${next}]`).focus()
        }
      }
      const tab = ([name, { name: label }]) =>
        h(
          'button',
          {
            key: name,
            type: 'button',
            role: 'tab',
            id: `${id}${name}`,
            'data-language': name,
            'aria-selected': name === language,
            'aria-controls': `${id}panel`,
            tabIndex: name === language ? 0 : -1,
            onClick: () => choose(name),
          },
          label,
        )
      const { highlight, write } = languages[language]
      return h(
        'div',
        { className: 'samples' },
        h(
          'div',
          { role: 'tablist', 'aria-label': 'Code samples', onKeyDown: step },
          Object.entries(languages).map(tab),
        ),
        h(
          'div',
          { role: 'tabpanel', id: `${id}panel`, 'aria-labelledby': id + language },
          h(HighlightCode, { language: highlight, canCopy: true }, write(shown.current)),
        ),
      )
    }

    function Fold({ label, isOpen, toggle }) {
      return h(
        'button',
        { type: 'button', className: 'fold', 'aria-expanded': isOpen, onClick: toggle },
        label,
      )
    }

    const parameters = (Original) => (props) => {
      const [isOpen, setOpen] = useState(false)
      const names = props.parameters.filter(isSeldom).map((one) => one.get('name'))
      const folding = { names: names.toArray(), isOpen, toggle: () => setOpen(!isOpen) }
      const { pathMethod } = props
      const HighlightCode = props.getComponent('HighlightCode', true)
      return h(
        Folding.Provider,
        { value: folding },
        h(Samples, { pathMethod, form: formOf(props), HighlightCode }),
        // What is required comes first: the id in the path.
        h(Original, {
          ...props,
          parameters: props.parameters.sortBy((one) => one.get('in') !== 'path'),
        }),
      )
    }

    const parameterRow = (Original) => (props) => {
      const { isOpen } = useContext(Folding)
      return isOpen || !isSeldom(props.rawParam) ? h(Original, props) : null
    }

    const tryItOutButton = (Original) => (props) => {
      const { names, isOpen, toggle } = useContext(Folding)
      const label = `${names.length} more: ${names.join(', ')}`
      return h(
        React.Fragment,
        null,
        names.length > 0 && h(Fold, { label, isOpen, toggle }),
        h(Original, props),
      )
    }

    const responses = (Original) => (props) => {
      const [isOpen, setOpen] = useState(false)
      const folded = props.responses.filterNot(isSuccess)
      const label = `Other answers: ${folded.keySeq().join(', ')}`
      return h(
        'div',
        { className: 'answers' },
        h(Original, {
          ...props,
          responses: isOpen ? props.responses : props.responses.filter(isSuccess),
        }),
        h(Fold, { label, isOpen, toggle: () => setOpen(!isOpen) }),
      )
    }

    const headers = (Original) => (props) => {
      const [isOpen, setOpen] = useState(false)
      const label = `Headers: ${props.headers.keySeq().join(', ')}`
      return h(
        React.Fragment,
        null,
        h(Fold, { label, isOpen, toggle: () => setOpen(!isOpen) }),
        isOpen && h(Original, props),
      )
    }

    return {
      components: {
        Page,
        // The summary of an operation is a button, which holds no links.
        DeepLink: ({ text }) => h('span', null, text),
      },
      wrapComponents: {
        // The text of a button is its name.
        Button: (Original) =>
          function Button({ 'aria-label': _, ...props }) {
            return h(Original, props)
          },
        headers,
        parameterRow,
        parameters,
        responses,
        TryItOutButton: tryItOutButton,
      },
    }
  }
}

/** What the form of an operation would send. */
function formOf({ pathMethod, parameters, specSelectors, oas3Selectors }) {
  const values = specSelectors.parameterValues(pathMethod).toJS()
  const sent = parameters.toArray().flatMap((one) => {
    const [name, place] = [one.get('name'), one.get('in')]
    const value = [values[`${place}.${name}`] ?? []].flat().join(',')
    return value || specSelectors.parameterInclusionSettingFor(pathMethod, name, place)
      ? [[`${place}.${name}`, value]]
      : []
  })
  return {
    parameters: Object.fromEntries(sent),
    body: oas3Selectors.requestBodyValue(...pathMethod) ?? undefined,
  }
}

/** Headers and sparse fieldsets are folded away. */
function isSeldom(parameter) {
  return (
    !parameter.get('required') &&
    (parameter.get('in') === 'header' || parameter.get('name').startsWith('fields['))
  )
}

function isSuccess(_, status) {
  return status < '300'
}
